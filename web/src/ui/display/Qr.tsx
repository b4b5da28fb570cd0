import { useMemo } from 'react';
import { encode } from 'uqr';

/** A QR code as the path of its dark modules. Long links need the lowest correction, or phones cannot read them. */
function drawn(text: string): { readonly path: string; readonly size: number } {
  const { data, size } = encode(text, { ecc: 'L', border: 0 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return { path, size };
}

export function Qr({
  text,
  label,
  className,
}: {
  readonly text: string;
  readonly label: string;
  readonly className?: string | undefined;
}) {
  const { path, size } = useMemo(() => drawn(text), [text]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      className={className}
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}

/** Modules of white around a code in a file, as readers need it. */
const QUIET = 4;
const PIXELS = 12;

/** The code as a file to save. */
export async function qrFile(text: string, type: 'svg' | 'png'): Promise<Blob> {
  const { path, size } = drawn(text);
  const all = size + 2 * QUIET;
  if (type === 'svg') {
    const body = `<path fill="#fff" d="M0 0h${all}v${all}H0z"/><path transform="translate(${QUIET} ${QUIET})" d="${path}"/>`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${all} ${all}" shape-rendering="crispEdges">${body}</svg>`;
    return new Blob([svg], { type: 'image/svg+xml' });
  }
  const canvas = document.createElement('canvas');
  canvas.width = all * PIXELS;
  canvas.height = all * PIXELS;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser cannot draw on a canvas');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#000';
  context.setTransform(PIXELS, 0, 0, PIXELS, QUIET * PIXELS, QUIET * PIXELS);
  context.fill(new Path2D(path));
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be made'))), 'image/png');
  });
}
