// Opens the scene and waits: `node tests/look.mjs`, for working on the pages.
import { live, write } from './scene.mjs';
import { Stage } from './stage.mjs';

const stage = await Stage.open({ http: process.argv[2] ?? '127.0.0.1:7791' });
const all = write(stage);
await stage.start();
await live(stage, all);
console.log(JSON.stringify({ url: stage.entrance(), env: stage.env }));
process.on('SIGTERM', () => stage.close().then(() => process.exit(0)));
process.on('SIGINT', () => stage.close().then(() => process.exit(0)));
setInterval(() => {}, 1 << 30);
