// Finds the core (the Xray binary), or installs the pinned version from the release archive or else with the Go toolchain. A
// missing core is not an error: the panel starts without one and reports it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { answers, cached, keep, reasonOf } from './cache.mjs';
import { capture, root } from './process.mjs';

const CORE_VERSION = '26.7.28';
/** The Go module version of that release; the module has a different version scheme. */
const CORE_MODULE = 'github.com/xtls/xray-core/main@v1.260327.1-0.20260728075948-5ca6f4b7d4dc';
const PUBLIC_RELEASES = 'https://github.com/XTLS/Xray-core/releases/download';
const MAX_BYTES = 200 * 1024 * 1024;
const CONNECT_MS = 5_000;

const dataDir = () => resolve(root, process.env.PORTOLAN_DATA_DIR || 'data');
const cachedCore = () => cached('core', CORE_VERSION, 'xray');
const runs = (path) => answers(path, ['version'], 'Xray ');

/** The version that an admin selected in the panel, or else the pinned one. */
async function chosenVersion() {
  const text = await readFile(join(dataDir(), 'core', 'current'), 'utf8').catch(() => '');
  return /^\d+\.\d+\.\d+$/.test(text.trim()) ? text.trim() : CORE_VERSION;
}

/**
 * The path of a core that runs, or undefined. `own`: the core is in the panel's data directory, where an admin may change
 * the version, so no path may be passed to the panel.
 */
export async function findCore() {
  const configured = process.env.PORTOLAN_CORE_BIN;
  if (configured) {
    if (await runs(configured)) return { path: configured };
    console.warn(`PORTOLAN_CORE_BIN is set to ${configured}, which does not run as a core.`);
    return undefined;
  }
  const own = join(dataDir(), 'core', await chosenVersion(), 'xray');
  if (await runs(own)) return { path: own, own: true };
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, 'xray');
    if (await runs(path)) return { path };
  }
  const kept = cachedCore();
  return (await runs(kept)) ? { path: kept } : undefined;
}

/** As `findCore`, but installs a core if there is none. Returns undefined, after a message, when that fails. */
export async function ensureCore() {
  const found = await findCore();
  if (found || process.env.PORTOLAN_CORE_BIN) return found;
  const path = cachedCore();
  const reasons = [];
  for (const get of [fromRelease, fromGo]) {
    try {
      await keep(path, get, runs);
      return { path };
    } catch (error) {
      reasons.push(reasonOf(error));
    }
  }
  console.warn(
    `Xray could not be installed (${reasons.join('; ')}).\n` +
      'The panel starts without one and everything but the proxies works. To add a core later, install it in the panel,\n' +
      'put `xray` on the PATH, or set PORTOLAN_CORE_BIN to its path.',
  );
  return undefined;
}

/** Downloads the release archive, verifies its checksum, and extracts the executable. */
async function fromRelease(folder) {
  const system = { linux: 'linux', darwin: 'macos' }[process.platform];
  const machine = { x64: '64', arm64: 'arm64-v8a' }[process.arch];
  if (!system || !machine) throw new Error(`no release for ${process.platform} on ${process.arch}`);
  const name = `Xray-${system}-${machine}.zip`;
  // Dependencies are installed at this point. Node's own fetch has no connect timeout.
  const { Agent, EnvHttpProxyAgent, fetch } = await import('undici');
  const proxied = Object.keys(process.env).some((name) => /^https?_proxy$/i.test(name));
  const settings = { connect: { timeout: CONNECT_MS }, headersTimeout: 20_000, bodyTimeout: 30_000 };
  const dispatcher = proxied ? new EnvHttpProxyAgent(settings) : new Agent(settings);
  const get = async (address) => {
    const reply = await fetch(address, { dispatcher }).catch((error) => {
      throw new Error('the release server could not be reached', { cause: error.cause ?? error });
    });
    if (!reply.ok || !reply.body) throw new Error(`the release server returned HTTP status ${reply.status}`);
    return reply;
  };
  try {
    const addressOf = await assets(get);
    const url = addressOf(name);
    const digest = /^SHA(?:2-)?256\s*=\s*([0-9a-f]{64})\s*$/im.exec(
      await (await get(addressOf(`${name}.dgst`))).text(),
    )?.[1];
    if (!digest) throw new Error('the release archive has no checksum');
    console.log(`Downloading the Xray core ${CORE_VERSION}…`);
    const archive = join(folder, 'core.zip');
    const hash = createHash('sha256');
    await pipeline((await get(url)).body, capped(), tee(hash), createWriteStream(archive, { mode: 0o600 }));
    if (hash.digest('hex') !== digest.toLowerCase()) throw new Error('the release archive does not match its checksum');
    return await unzip(archive, 'xray', join(folder, 'xray'));
  } finally {
    await dispatcher.destroy();
  }
}

/** The URLs of the release files; a mirror names them in its list, as it does for the panel. */
async function assets(get) {
  const mirror = process.env.PORTOLAN_CORE_RELEASES_URL?.replace(/\/+$/, '');
  if (!mirror) return (name) => `${PUBLIC_RELEASES}/v${CORE_VERSION}/${name}`;
  const releases = await (await get(mirror)).json();
  const release = Array.isArray(releases) && releases.find(({ tag_name }) => tag_name === `v${CORE_VERSION}`);
  if (!release) throw new Error(`the mirror has no release v${CORE_VERSION}`);
  return (name) => {
    const found = release.assets?.find((asset) => asset.name === name)?.browser_download_url;
    if (!found) throw new Error(`the mirror has no ${name}`);
    return found;
  };
}

function capped() {
  let bytes = 0;
  return new Transform({
    transform(chunk, _encoding, next) {
      bytes += chunk.length;
      next(bytes > MAX_BYTES ? new Error('the release archive is too large') : null, chunk);
    },
  });
}

const tee = (hash) =>
  new Transform({
    transform(chunk, _encoding, next) {
      hash.update(chunk);
      next(null, chunk);
    },
  });

async function unzip(archive, name, to) {
  const { default: yauzl } = await import('yauzl');
  const zip = await yauzl.openPromise(archive, { lazyEntries: true });
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== name) continue;
      await pipeline(await zip.openReadStreamPromise(entry), capped(), createWriteStream(to, { mode: 0o755 }));
      return to;
    }
  } finally {
    zip.close();
  }
  throw new Error(`the release archive has no ${name}`);
}

/** Compiles the pinned module version. Needs only the Go module proxy. */
async function fromGo(folder) {
  const { stdout, error } = spawnSync('go', ['version'], { encoding: 'utf8', timeout: 15_000 });
  const version = /go(\d+)\.(\d+)/.exec(stdout ?? '');
  if (error || !version) throw new Error('Go is not installed');
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major < 1 || (major === 1 && minor < 26)) throw new Error(`Go ${major}.${minor} is too old to compile it`);
  console.log(`Compiling the Xray core ${CORE_VERSION} (two to three minutes, once)…`);
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOFLAGS: '' };
  // `go install` rejects a GOBIN when these select another platform.
  delete env.GOOS;
  delete env.GOARCH;
  const args = ['install', '-trimpath', '-ldflags', '-s -w -buildid=', CORE_MODULE];
  const { code, output } = await capture('go', args, { cwd: folder, env, timeout: 20 * 60_000 });
  if (code !== 0) throw new Error(`it does not compile: ${output.split('\n').at(-1)}`);
  return join(folder, 'main');
}
