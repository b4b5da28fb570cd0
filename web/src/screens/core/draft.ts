import { useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { api } from '../../api/client';
import type { FormRequest } from '../../model/curl';
import type { JsonObject } from '../../model/json';
import { toastDone, toastError } from '../../ui/feedback/toast';
import { fetchStored, type Stored, stored as storedQuery } from './queries';
import { pretty } from './template';

/** What an admin has changed and not saved. `base` is what the changes were made to. */
interface Draft {
  readonly base: Stored;
  readonly template: JsonObject;
  readonly testUrl: string;
}

/** Kept while the page is open, so that a look at another screen loses nothing. */
let kept: Draft | null = null;
const listeners = new Set<() => void>();
const keep = (draft: Draft | null): void => {
  kept = draft;
  for (const listener of listeners) listener();
};
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const isSame = (one: Stored, other: Stored): boolean =>
  one.testUrl === other.testUrl && pretty(one.template) === pretty(other.template);

export interface TemplateEditor {
  readonly template: JsonObject;
  readonly testUrl: string;
  readonly isChanged: boolean;
  /** Another admin saved meanwhile. */
  readonly isStale: boolean;
  readonly isSaving: boolean;
  /** What saving would send now. */
  readonly request: () => FormRequest;
  readonly change: (template: JsonObject) => void;
  readonly changeTestUrl: (testUrl: string) => void;
  readonly discard: () => void;
  /** Keeps the changes, and takes what is stored now as what they were made to. */
  readonly overrule: () => void;
  readonly save: () => Promise<void>;
}

const requestOf = ({ template, testUrl }: Pick<Draft, 'template' | 'testUrl'>) =>
  api.request('/panel/core/update', { body: { coreSetting: pretty(template), outboundTestUrl: testUrl } });

const savedOf = ({ template, testUrl }: Draft) => ({ template, testUrl });

/** The template with the changes of this browser. Nothing reaches the panel before `save`. */
export function useTemplate(stored: Stored): TemplateEditor {
  const client = useQueryClient();
  const draft = useSyncExternalStore(subscribe, () => kept);
  const [isSaving, setSaving] = useState(false);
  const current = draft ?? { base: stored, ...stored };
  const set = (changes: Partial<Draft>): void => {
    const next = { ...current, ...changes };
    keep(isSame(next.base, { ...next.base, ...next }) ? null : next);
  };
  const refresh = () => client.invalidateQueries({ queryKey: ['core'] });
  return {
    template: current.template,
    testUrl: current.testUrl,
    isChanged: draft !== null,
    isStale: draft !== null && !isSame(draft.base, stored),
    isSaving,
    request: () => requestOf(current),
    change: (template) => set({ template }),
    changeTestUrl: (testUrl) => set({ testUrl }),
    discard: () => keep(null),
    overrule: () => draft && keep({ ...draft, base: stored }),
    async save() {
      if (!draft) return;
      setSaving(true);
      try {
        // Nothing of another admin is overwritten silently.
        const now = await fetchStored();
        client.setQueryData(storedQuery.queryKey, now);
        if (!isSame(draft.base, now)) return;
        const { obj, msg } = await requestOf(draft).send();
        // What was changed while the panel tested stays, as a change to what is stored now.
        keep(kept === null || kept === draft ? null : { ...kept, base: { ...now, ...savedOf(draft) } });
        await refresh();
        toastDone([msg, ...(obj?.warnings ?? [])].join(' '), {
          undo: () => requestOf(draft.base).send().then(refresh),
        });
      } catch (error) {
        toastError(error);
        throw error;
      } finally {
        setSaving(false);
      }
    },
  };
}
