/** Reads a QR code: ISO/IEC 18004, level L, without error correction. True = dark. */
export function readQr(modules: readonly (readonly boolean[])[]): string {
  const size = modules.length;
  const version = (size - 17) / 4;
  if (!Number.isInteger(version) || version < 1 || version > 40) throw new Error(`no QR code has ${size} modules`);
  const dark = (x: number, y: number): boolean => modules[y]?.[x] === true;
  const mask = maskOf(dark);
  const words = codewords(size, version, (x, y) => dark(x, y) !== mask(x, y));
  return textIn(dataOf(words, version), version);
}

/** By number, as the standard lists them; `true` = the module is inverted. */
const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** From the format information right of the upper left finder; it is itself masked with 101 01000... */
function maskOf(dark: (x: number, y: number) => boolean): (x: number, y: number) => boolean {
  let bits = 0;
  for (const x of [0, 1, 2, 3, 4]) bits = bits * 2 + Number(dark(x, 8));
  const format = bits ^ 0b10101;
  if (format >> 3 !== 0b01) throw new Error('not of level L');
  const mask = MASKS[format & 7];
  if (!mask) throw new Error('no such mask');
  return mask;
}

function alignments(version: number, size: number): readonly number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const rest = Array.from({ length: count - 1 }, (_, i) => size - 7 - i * step);
  return [6, ...rest.reverse()];
}

/** Whether a module belongs to a function pattern and has no data. */
function isPattern(x: number, y: number, size: number, version: number): boolean {
  const far = size - 8;
  if (x === 6 || y === 6) return true;
  if ((x <= 8 && (y <= 8 || y >= far)) || (x >= far && y <= 8)) return true;
  if (version >= 7 && ((x >= size - 11 && y <= 5) || (y >= size - 11 && x <= 5))) return true;
  const centres = alignments(version, size);
  return centres.some((cx) =>
    centres.some((cy) => {
      const atFinder = (cx === 6 && (cy === 6 || cy === size - 7)) || (cx === size - 7 && cy === 6);
      return !atFinder && Math.abs(x - cx) <= 2 && Math.abs(y - cy) <= 2;
    }),
  );
}

/** In pairs of columns from the right, up and down in turn; the column of the timing pattern is none. */
function codewords(size: number, version: number, bit: (x: number, y: number) => boolean): readonly number[] {
  const words: number[] = [];
  let word = 0;
  let bits = 0;
  let up = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const y = up ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (isPattern(x, y, size, version)) continue;
        word = word * 2 + Number(bit(x, y));
        bits += 1;
        if (bits % 8 !== 0) continue;
        words.push(word);
        word = 0;
      }
    }
    up = !up;
  }
  return words;
}

/** Of level L, by version: words of correction in a block, and blocks. */
const CORRECTION = [
  7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30,
  30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
];
const BLOCKS = [
  1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19,
  20, 21, 22, 24, 25,
];

/** Blocks lie interleaved, short ones before those with one word more. */
function dataOf(words: readonly number[], version: number): readonly number[] {
  const blocks = BLOCKS[version - 1] ?? 0;
  const all = words.length - blocks * (CORRECTION[version - 1] ?? 0);
  const short = Math.floor(all / blocks);
  const longFrom = blocks - (all % blocks);
  const found = Array.from({ length: blocks }, (): number[] => []);
  let at = 0;
  for (let row = 0; row <= short; row += 1) {
    for (const [number, block] of found.entries()) {
      if (row === short && number < longFrom) continue;
      block.push(words[at] ?? 0);
      at += 1;
    }
  }
  return found.flat();
}

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';

function textIn(data: readonly number[], version: number): string {
  let at = 0;
  const take = (bits: number): number => {
    let value = 0;
    for (let i = 0; i < bits; i += 1, at += 1) value = value * 2 + (((data[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    return value;
  };
  const bytes: number[] = [];
  const say = (text: string) => bytes.push(...Buffer.from(text));
  const wide = version >= 10;
  while (at + 4 <= data.length * 8) {
    const mode = take(4);
    if (mode === 0) break;
    if (mode === 0b0100) for (let left = take(wide ? 16 : 8); left > 0; left -= 1) bytes.push(take(8));
    else if (mode === 0b0010) {
      let left = take(wide ? (version >= 27 ? 13 : 11) : 9);
      for (; left > 1; left -= 2) {
        const pair = take(11);
        say(`${ALPHANUMERIC[Math.floor(pair / 45)]}${ALPHANUMERIC[pair % 45]}`);
      }
      if (left > 0) say(`${ALPHANUMERIC[take(6)]}`);
    } else throw new Error(`mode ${mode} is not read here`);
  }
  return Buffer.from(bytes).toString('utf8');
}
