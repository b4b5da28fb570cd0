import { encode } from 'uqr';

/** A QR code. Long links need the lowest correction, or phones cannot read them. */
export function Qr({
  text,
  label,
  className,
}: {
  readonly text: string;
  readonly label: string;
  readonly className?: string | undefined;
}) {
  const { data, size } = encode(text, { ecc: 'L', border: 0 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
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
