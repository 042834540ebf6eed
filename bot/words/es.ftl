language-name = Español

apology = Lo siento, no he podido responder a eso. Vuelve a escribirme dentro de un rato.
please-wait = Ahora no puedo responder: el modelo de lenguaje no contesta. Responderé en cuanto vuelva; no hace falta que escribas otra vez.
stopped = Detenido.
only-private = Solo respondo en chats privados: escríbeme directamente y te contestaré allí.

start = ¡Hola! Escríbeme como quieras y en tantos mensajes como quieras: recibirás una sola respuesta a todos. Con /help verás qué más puedo hacer.
help = Simplemente escribe. Cuando hagas una pausa, responderé a todo. Para lo demás hay estos comandos:
command-start = Empezar
command-help = Qué puedo hacer
command-stop = Detener la respuesta en curso
command-reset = Empezar de nuevo: olvido lo dicho antes
command-retry = Responder otra vez, de otra manera
command-settings = Idioma y escritura en vivo
command-privacy = Qué se guarda sobre ti
command-export = Recibir tus datos en un archivo
command-forget = Borrar tus datos

stop-done = Detenido. No se responderá a lo que escribiste antes.
stop-nothing = No hay nada que detener.
reset-done = Empezamos de nuevo: ya no miro lo que se dijo antes.
retry-nothing = Todavía no hay nada que pueda responder otra vez.
retry-asks = Por favor, responde otra vez a mi mensaje anterior, de otra manera.

settings = Ajustes. ¿En qué idioma hablo, y quieres ver las respuestas mientras se escriben?
settings-automatic = Automático
settings-streaming = Escritura en vivo
settings-saved = Guardado.

privacy =
    Guardo lo que escribes, mis respuestas y lo que me pediste recordar (contactos, recordatorios), solo para responderte. Para responder, tus mensajes se pasan a un modelo de lenguaje.
    /export te lo envía todo en un archivo, /forget lo borra.
export-caption = Todo lo que se guarda sobre ti.

forget-asks = ¿Borro todo: nuestros mensajes, tus contactos, recordatorios y ajustes? No se puede deshacer.
forget-yes = Borrar todo
forget-no = Conservarlo
forget-done = Todo está borrado.
forget-kept = No se ha borrado nada.
