# threads: 1
# told: the only thread of | was waiting
# not told: deadlock
# not told: unread
# not told: none is left
# A server waits for clients. Nothing is wrong.
import selectors
import socket

listener = socket.create_server(("127.0.0.1", 0))
waker, woken = socket.socketpair()
watch = selectors.DefaultSelector()
watch.register(listener, selectors.EVENT_READ)
watch.register(woken, selectors.EVENT_READ)
watch.select()
