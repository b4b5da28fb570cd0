import type { ReactNode } from 'react';
import classes from './Status.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'quiet';

/** A state in a word, with a mark whose shape differs by tone: colour is never the only difference. */
export function Status({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={classes['status']} data-tone={tone}>
      <svg viewBox="0 0 10 10" className={classes['mark']} aria-hidden="true">
        {tone === 'good' && <circle cx="5" cy="5" r="4" />}
        {tone === 'warn' && <path d="M5 .8 9.6 9H.4z" />}
        {tone === 'bad' && <path d="M5 .3 9.7 5 5 9.7.3 5z" />}
        {tone === 'quiet' && <circle cx="5" cy="5" r="3.2" fill="none" stroke="currentColor" strokeWidth="1.6" />}
      </svg>
      <span className={classes['word']}>{children}</span>
    </span>
  );
}

/** How much of a cap is used: the bar is decoration, the text beside it has the numbers. `isPlain`: full is no problem. */
export function Meter({ share, isPlain = false }: { readonly share: number; readonly isPlain?: boolean }) {
  const tone = isPlain ? 'good' : share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'good';
  return (
    <svg
      className={classes['meter']}
      data-tone={tone}
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect className={classes['track']} width="100" height="4" />
      <rect width={Math.max(0, Math.min(1, share)) * 100} height="4" />
    </svg>
  );
}
