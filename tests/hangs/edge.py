# threads: 1
# told: waits in epoll_wait, although 990 bytes lie unread in its socket fd
# not told: deadlock
# A reader that is told of changes only takes a part of what has come, and waits for more.
import select
import socket

reader, writer = socket.socketpair()
watch = select.epoll()
watch.register(reader, select.EPOLLIN | select.EPOLLET)
writer.send(b"x" * 1000)
watch.poll()
reader.recv(10)
watch.poll()
