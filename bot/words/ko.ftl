language-name = 한국어

apology = 죄송합니다. 답변을 드리지 못했습니다. 잠시 후 다시 보내 주세요.
please-wait = 지금은 언어 모델이 응답하지 않아 답할 수 없습니다. 모델이 돌아오는 대로 답해 드릴게요. 다시 쓰지 않으셔도 됩니다.
stopped = 중단했습니다.
only-private = 저는 개인 채팅에서만 답변합니다. 저에게 직접 메시지를 보내 주시면 그곳에서 답해 드리겠습니다.

start = 안녕하세요! 원하시는 대로, 여러 개의 메시지로 나누어 쓰셔도 됩니다. 모두에 대해 한 번에 답해 드립니다. 다른 기능은 /help 에서 보실 수 있습니다.
help = 그냥 편하게 쓰세요. 잠시 멈추시면 쓰신 내용 전체에 답해 드립니다. 그 밖의 명령은 다음과 같습니다:
command-start = 시작하기
command-help = 사용 방법
command-stop = 작성 중인 답변 중단
command-reset = 새로 시작: 이전 대화를 더 이상 보지 않습니다
command-retry = 다르게 다시 답하기
command-settings = 언어 및 실시간 표시
command-privacy = 보관되는 정보
command-export = 내 데이터를 파일로 받기
command-forget = 내 데이터 삭제

stop-done = 중단했습니다. 이전에 쓰신 내용에는 답하지 않습니다.
stop-nothing = 중단할 것이 없습니다.
reset-done = 새로 시작합니다. 이전 대화는 더 이상 보지 않습니다.
retry-nothing = 아직 다시 답할 것이 없습니다.
retry-asks = 제 이전 메시지에 다른 방식으로 다시 답해 주세요.

settings = 설정입니다. 어떤 언어로 말할까요? 그리고 답변이 작성되는 과정을 보시겠습니까?
settings-automatic = 자동
settings-streaming = 실시간 표시
settings-saved = 저장했습니다.

privacy =
    쓰신 내용과 저의 답변, 그리고 기억해 달라고 하신 것(연락처, 알림)을 보관하며 오직 답변을 드리는 데에만 사용합니다. 답변을 위해 메시지는 언어 모델에 전달됩니다.
    /export 로 모두 파일로 받으실 수 있고, /forget 으로 삭제하실 수 있습니다.
export-caption = 보관 중인 모든 데이터입니다.

forget-asks = 메시지, 연락처, 알림, 설정까지 모두 삭제할까요? 되돌릴 수 없습니다.
forget-yes = 모두 삭제
forget-no = 그대로 두기
forget-done = 모두 삭제했습니다.
forget-kept = 아무것도 삭제하지 않았습니다.
