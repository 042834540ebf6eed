language-name = English

apology = Sorry, I could not answer that. Please write again in a while.
please-wait = I cannot answer right now: the language model does not respond. I will answer as soon as it is back, you need not write again.
stopped = Stopped.
only-private = I answer in private chats only: write to me directly and I will reply there.

start = Hello! Write to me as you like, in as many messages as you like: you get one answer to all of them. /help says what else I can do.
help = Just write. When you pause, I answer everything you wrote. These commands are for the rest:
command-start = Begin
command-help = What I can do
command-stop = Stop the answer that is being written
command-reset = Start over: I forget what was said before
command-retry = Answer again, differently
command-settings = Language and live typing
command-privacy = What is kept about you
command-export = Get your data as a file
command-forget = Delete your data

stop-done = Stopped. What you wrote before will not be answered.
stop-nothing = There is nothing to stop.
reset-done = We start over: I no longer look at what was said before.
retry-nothing = There is nothing yet that I could answer again.
retry-asks = Please answer my previous message again, in a different way.

settings = Settings. In which language shall I speak, and do you want to see answers while they are being written?
settings-automatic = Automatic
settings-streaming = Live typing
settings-saved = Saved.

privacy =
    I keep what you write, my answers, and what you asked me to remember (contacts, reminders), to answer you and for nothing else. To answer, your messages are passed to a language model.
    /export sends you all of it as a file, /forget deletes it.
export-caption = All that is kept about you.

forget-asks = Shall I delete everything: our messages, your contacts, reminders and settings? This cannot be undone.
forget-yes = Delete everything
forget-no = Keep it
forget-done = Everything is deleted.
forget-kept = Nothing was deleted.
