// A web server that reads its settings again for each request, many times. The routes belong to a package that is installed, which is in the directory of the
// first argument. The server asks itself, and ends.
"use strict";

const fs = require("fs");
const http = require("http");
const path = require("path");
const router = require(path.join(process.argv[2], "node_modules/router"));

const settingsFile = path.join(process.argv[2], "settings.json");

function settings() {
  return JSON.parse(fs.readFileSync(settingsFile, "utf8"));
}

const app = router();

app.get("/hello", (request, response) => {
  let greeting;
  for (let i = 0; i < 20; i++) {
    greeting = settings().greeting;
  }
  response.end(greeting);
});

const agent = new http.Agent({ keepAlive: true });
const server = http.createServer(app).listen(0, "127.0.0.1", async () => {
  const { port } = server.address();
  for (let i = 0; i < 500; i++) {
    await new Promise((resolve) => {
      http.get({ port, path: "/hello", agent }, (response) => response.resume().on("end", resolve));
    });
  }
  agent.destroy();
  server.close();
});
