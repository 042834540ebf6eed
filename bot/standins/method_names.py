"""Which methods of the Bot API there are, by age."""

OLD_METHODS = (
    "getMe",
    "getUpdates",
    "setWebhook",
    "deleteWebhook",
    "getWebhookInfo",
    "sendMessage",
    "sendDocument",
    "sendChatAction",
    "editMessageText",
    "editMessageReplyMarkup",
    "deleteMessage",
    "answerCallbackQuery",
    "getFile",
    "setMyCommands",
    "getMyCommands",
    "deleteMyCommands",
)
"""Those that every server in use has."""

RICH_EDIT = "editMessageText to rich"
"""No method of its own, but refused as a rich message is."""

RICH_METHODS = ("sendRichMessage", "sendRichMessageDraft")
DRAFT_METHODS = ("sendMessageDraft", "sendRichMessageDraft")

METHODS = (*OLD_METHODS, "sendMessageDraft", *RICH_METHODS)

DOWNLOAD = "downloadFile"
"""No method, but faults and records name the download of a file so."""
