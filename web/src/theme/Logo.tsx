/** A compass rose: a portolan is a chart drawn from one. */
export function Logo({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--mantine-primary-color-filled)" />
      <g fill="#fff">
        <path d="M16 4.5 18.4 16h-4.8z" />
        <path d="M16 27.5 13.6 16h4.8z" opacity=".65" />
        <path d="M27.5 16 16 18.4v-4.8z" opacity=".65" />
        <path d="M4.5 16 16 13.6v4.8z" opacity=".65" />
      </g>
      <circle cx="16" cy="16" r="1.6" fill="var(--mantine-primary-color-filled)" />
    </svg>
  );
}
