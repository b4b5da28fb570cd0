import { useCallback } from 'react';
import { Code } from '../../../ui/form/Code';

interface Props {
  readonly value: string;
  readonly original: string;
  readonly label: string;
}

/** A text with its differences to the original. */
export function Comparison({ value, original, label }: Props) {
  const more = useCallback(async () => {
    const { unifiedMergeView } = await import('@codemirror/merge');
    return unifiedMergeView({ original, mergeControls: false, collapseUnchanged: { margin: 3 } });
  }, [original]);
  return <Code value={value} label={label} more={more} />;
}
