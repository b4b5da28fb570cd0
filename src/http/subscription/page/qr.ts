import { encode } from 'uqr';

/** Modules of the quiet zone, as ISO/IEC 18004 requires. */
const QUIET_ZONE_MODULES = 4;
/** Maximum bytes of a code with the lowest error correction level. */
export const MAX_CODE_BYTES = 2900;
/** Diagonal stripes. Any mask is valid, and evaluating all eight takes eight times as long. */
const MASK = 3;

/**
 * The text as a QR code: an SVG element with one path of relative runs of dark modules, a quarter of the size of squares.
 * Empty when the text does not fit into a code.
 */
export function qrCode(text: string, label: string): string {
  if (Buffer.byteLength(text) > MAX_CODE_BYTES) return '';
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_ZONE_MODULES, maskPattern: MASK });
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
