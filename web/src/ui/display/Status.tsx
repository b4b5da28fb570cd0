import type { ReactNode } from 'react';
import classes from './Status.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'quiet';

interface StatusProps {
  readonly tone: Tone;
  /** Longer than a word: it breaks instead of being cut off. */
  readonly isSentence?: boolean;
  readonly children: ReactNode;
}

/** A state in a word, with a mark whose shape differs by tone: colour is never the only difference. */
export function Status({ tone, isSentence = false, children }: StatusProps) {
  return (
    <span className={classes['status']} data-tone={tone} data-sentence={isSentence || undefined}>
      <span className={classes['word']}>{children}</span>
    </span>
  );
}

/** How much of a cap is used: the bar is decoration, the text beside it has the numbers. `isPlain`: full is no problem. */
export function Meter({ share, isPlain = false }: { readonly share: number; readonly isPlain?: boolean }) {
  const tone = isPlain ? 'good' : share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'good';
  const filled = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return <span className={classes['meter']} data-tone={tone} style={{ '--filled': filled }} aria-hidden="true" />;
}
