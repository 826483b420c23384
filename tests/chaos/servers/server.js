// A server with one loop. See servers.c.
require('net')
    .createServer(socket => {
        socket.on('data', line => socket.write('answer ' + line));
        socket.on('error', () => socket.destroy());
    })
    .listen(Number(process.argv[2]), '127.0.0.1');
