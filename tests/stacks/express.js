// A web server with the package Express that reads its settings again for each request, many times. The package is in the directory of the first argument. The
// clients are a process of their own, which keeps several connections busy.
"use strict";

const fs = require("fs");
const http = require("http");
const path = require("path");
const { fork } = require("child_process");

const [directory, port] = process.argv.slice(2);
const settingsFile = path.join(directory, "settings.json");
const CONNECTIONS = 8;
const REQUESTS = 300;

function settings() {
  return JSON.parse(fs.readFileSync(settingsFile, "utf8"));
}

function serve() {
  const express = require(path.join(directory, "node_modules/express"));
  const app = express();
  app.use((request, response, next) => {
    response.set("x-server", "test");
    next();
  });
  app.get("/hello/:name", (request, response) => {
    let greeting;
    for (let i = 0; i < 20; i++) {
      greeting = settings().greeting;
    }
    response.json({ text: `${greeting} ${request.params.name}` });
  });
  const server = app.listen(0, "127.0.0.1", () => {
    fork(__filename, [directory, server.address().port]).on("exit", () => server.close());
  });
}

async function clients() {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let left = REQUESTS;
  const ask = (name) =>
    new Promise((resolve, reject) => {
      const asked = http.get({ port, path: `/hello/${name}`, agent }, (response) => response.resume().on("end", resolve));
      asked.on("error", reject);
    });
  const client = async (name) => {
    while (left-- > 0) {
      await ask(name);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => client("client" + i)));
  agent.destroy();
}

if (port) {
  clients();
} else {
  serve();
}
