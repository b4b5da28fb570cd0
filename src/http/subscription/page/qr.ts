import { encode } from 'uqr';

/** Modules of quiet around the code, as ISO/IEC 18004 asks for. */
const QUIET = 4;
/** Bytes that a code of the lowest level of correction still holds. */
export const LONGEST_CODE = 2900;
/** Diagonal stripes. Any mask may be chosen, and to weigh all eight of them takes eight times as long. */
const MASK = 3;

/**
 * The text as a QR code: an SVG element whose dark modules are runs of one path, each from where the last one ended, which
 * is a quarter of the size of squares. Empty for a text that no code holds.
 */
export function qrCode(text: string, label: string): string {
  if (Buffer.byteLength(text) > LONGEST_CODE) return '';
  const { data, size } = encode(text, { ecc: 'L', border: QUIET, maskPattern: MASK });
  const path = data.map((row, y) => pathOf(row, y)).join('');
  return `<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}"><path stroke="#000" d="${path}"/></svg>`;
}

/** Runs of dark modules in the middle of a row. */
function pathOf(row: readonly boolean[], y: number): string {
  let path = '';
  let end = 0;
  for (let x = row.indexOf(true); x >= 0; x = row.indexOf(true, end)) {
    path += path === '' ? `M${x} ${y}.5` : `m${x - end} 0`;
    const light = row.indexOf(false, x);
    end = light < 0 ? row.length : light;
    path += `h${end - x}`;
  }
  return path;
}
