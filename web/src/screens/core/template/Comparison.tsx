import { EditorState } from '@codemirror/state';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Code } from '../../../ui/form/Code';

interface Props {
  readonly value: string;
  readonly original: string;
  readonly label: string;
}

/** A text with its differences to the original. */
export function Comparison({ value, original, label }: Props) {
  const { t } = useTranslation('core');
  // The editor puts the number of lines in the place of the dollar sign.
  const unchanged = t('view.unchanged');
  const more = useCallback(async () => {
    const { unifiedMergeView } = await import('@codemirror/merge');
    return [
      unifiedMergeView({ original, mergeControls: false, collapseUnchanged: { margin: 3 } }),
      EditorState.phrases.of({ '$ unchanged lines': unchanged }),
    ];
  }, [original, unchanged]);
  return <Code value={value} label={label} more={more} />;
}
