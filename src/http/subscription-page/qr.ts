import { encode } from 'uqr';

/** Modules of quiet around the code, as ISO/IEC 18004 asks for. */
const QUIET = 4;
/** Bytes that a code of the lowest level of correction still holds. */
const LONGEST = 2900;

/**
 * The text as a QR code: an SVG element whose dark modules are runs of one path, which is a third of the size of squares.
 * Empty for a text that no code holds.
 */
export function qrCode(text: string, label: string): string {
  if (Buffer.byteLength(text) > LONGEST) return '';
  const { data, size } = encode(text, { ecc: 'L', border: QUIET });
  const path = data.flatMap((row, y) => runsOf(row).map(([x, length]) => `M${x} ${y}.5h${length}`)).join('');
  return `<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}"><path stroke="#000" d="${path}"/></svg>`;
}

/** Where dark modules begin in a row, and how many follow one another. */
function runsOf(row: readonly boolean[]): readonly (readonly [x: number, length: number])[] {
  const runs: [number, number][] = [];
  let before = false;
  for (const [x, dark] of row.entries()) {
    const last = runs.at(-1);
    if (dark && before && last) last[1] += 1;
    else if (dark) runs.push([x, 1]);
    before = dark;
  }
  return runs;
}
