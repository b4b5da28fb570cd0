import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api, type Done } from '../../../api/client';
import type { InboundForm } from '../../../api/contract.generated';
import type { FormRequest } from '../../../model/curl';
import { valueAt } from '../../../model/json';
import { differences, merged } from '../../../model/merge';
import { useAction } from '../../../ui/feedback/action';
import { useUnsaved } from '../../../ui/feedback/leave';
import { sentenceOf, toastDone, toastError } from '../../../ui/feedback/toast';
import { inboundForm } from '../queries';
import type { Aside } from './aside';
import { bodyOf, type Draft, draftOf, parseDraft } from './draft';
import { type Generator, generated } from './generators';

const NONE: Readonly<Record<string, string>> = {};
const textOf = (draft: Draft): string => JSON.stringify(draft, null, 2);

/** The field that gets the focus, once for each object. */
interface Focused {
  readonly path: string;
}

interface Start {
  /** Null = a new one. */
  readonly inbound: InboundForm | null;
  readonly start: Draft;
  readonly onSaved: () => void;
}

/** The state of the editor: the draft, what is wrong with it, and what another admin has changed meanwhile. */
export function useEditor({ inbound, start, onSaved }: Start) {
  const { t } = useTranslation('inbounds');
  const [draft, setDraft] = useState(start);
  const [aside, setAside] = useState<Aside>({});
  // A later `start` is what the panel has now, not what was opened.
  const [opened] = useState(start);
  const [tab, setTab] = useState<'form' | 'json'>('form');
  const [json, setJson] = useState('');
  const [problems, setProblems] = useState(NONE);
  const [refusal, setRefusal] = useState('');
  const [focused, setFocused] = useState<Focused | null>(null);
  const parsed = tab === 'json' ? parseDraft(json, draft) : draft;
  const jsonProblem = typeof parsed === 'string' ? parsed : null;
  /** The draft of the open tab; null while its text is not one. */
  const current = typeof parsed === 'string' ? null : parsed;
  const conflict = useConflict(inbound, current ?? draft, (next) => {
    setDraft(next);
    setJson(textOf(next));
  });
  const { save, check } = useRequests(inbound, conflict);
  const isDirty = current === null || textOf(current) !== textOf(opened);
  useUnsaved(isDirty && !save.isPending && !save.isSuccess, '');

  useEffect(() => {
    if (focused) focusField(focused.path);
  }, [focused]);

  const change = (next: Draft, nextAside = aside): void => {
    const isSame = ([path]: readonly [string, string]): boolean => valueAt(next, path) === valueAt(draft, path);
    setDraft(next);
    setAside(nextAside);
    setProblems((before) => Object.fromEntries(Object.entries(before).filter(isSame)));
    setRefusal('');
  };
  const point = (found: typeof NONE): void => {
    const [path] = Object.keys(found);
    setProblems(found);
    if (path !== undefined) setFocused({ path });
  };
  // The tables of the form are loaded with its fields, and only when they are needed.
  const refuse = (error: unknown): void => {
    if (error instanceof ApiError && error.code === 'INBOUND_CHANGED') return conflict.look();
    if (!(error instanceof ApiError) || tab !== 'form') return setRefusal(sentenceOf(error));
    const sentence = sentenceOf(error);
    void import('./problem-field').then(
      ({ problemField }) => {
        const path = problemField(error, draft);
        if (path === null) setRefusal(sentence);
        else point({ [path]: sentence });
      },
      () => setRefusal(sentence),
    );
  };
  /** Runs an action with the draft of the open tab if it is complete; else puts the problems on screen. */
  const run = (action: (value: Draft) => void): void => {
    if (!current) return;
    void import('./values').then(({ missing }) => {
      const empty = missing(current, t('required'));
      point(empty);
      setDraft(current);
      setRefusal('');
      if (Object.keys(empty).length === 0) action(current);
      else setTab('form');
    }, toastError);
  };
  return {
    ...{ draft, aside, tab, json, jsonProblem, problems, refusal, change },
    setJson(text: string): void {
      setJson(text);
      setRefusal('');
    },
    // The own save changes the version too.
    conflict: { ...conflict, isOutdated: conflict.isOutdated && !save.isPending && !save.isSuccess },
    ...{ isSaving: save.isPending, isChecking: check.isPending },
    generate: (generator: Generator): void => void generated(draft, generator).then(change, toastError),
    turn(next: 'form' | 'json'): void {
      if (!current) return;
      if (next === 'json') setJson(textOf(current));
      change(current);
      setTab(next);
    },
    request: (): FormRequest | null => current && requestOf(inbound, current, conflict.version),
    check: () =>
      run((value) =>
        check.mutate(value, {
          onSuccess: ({ obj }) => toastDone(t(obj.tested ? 'checked' : 'checkedUntested')),
          onError: refuse,
        }),
      ),
    submit: () => run((value) => save.mutate(value, { onSuccess: onSaved, onError: refuse })),
  };
}

/** Moves the focus to a field, and opens the section around it. */
function focusField(path: string): void {
  const field = document.querySelector(`[data-field="${CSS.escape(path)}"]`);
  const section = field?.closest('details');
  if (section) section.open = true;
  field?.querySelector<HTMLElement>('input:not([type=hidden]), textarea, select')?.focus();
}

/** What saving a draft sends. */
function requestOf(inbound: InboundForm | null, value: Draft, expectedVersion: string): FormRequest {
  const body = bodyOf(value);
  return inbound
    ? api.request('/panel/api/inbounds/update/:id', { params: { id: inbound.id }, body: { ...body, expectedVersion } })
    : api.request('/panel/api/inbounds/add', { body });
}

function useRequests(inbound: InboundForm | null, { base, version }: Pick<Conflict, 'base' | 'version'>) {
  const update = async (id: number, value: Draft, expectedVersion: string): Promise<Done<string>> => {
    const { msg } = await api.post('/panel/api/inbounds/update/:id', {
      params: { id },
      body: { ...bodyOf(value), expectedVersion },
    });
    const after = await api.get('/panel/api/inbounds/overview/:id', { params: { id } });
    return { obj: after.version, msg };
  };
  const save = useAction<Draft, string>({
    stale: [['inbounds']],
    silent: true,
    async run(value) {
      if (inbound) return update(inbound.id, value, version);
      const { msg } = await api.post('/panel/api/inbounds/add', { body: bodyOf(value) });
      return { obj: '', msg };
    },
    // What this save replaced, with the changes of other admins before it. It expects the version of this save: a later
    // change of another admin stays.
    undo: base ? (_, { obj }) => update(base.id, draftOf(base), obj) : undefined,
  });
  const check = useAction<Draft, { readonly tested: boolean }>({
    stale: [],
    silent: true,
    said: () => '',
    run: (value) => api.post('/panel/api/inbounds/check', { body: { ...bodyOf(value), id: inbound?.id ?? 0 } }),
  });
  return { save, check };
}

type Conflict = ReturnType<typeof useConflict>;

/** Compares what the form was opened with and what the panel has now. */
function useConflict(inbound: InboundForm | null, draft: Draft, setDraft: (draft: Draft) => void) {
  const client = useQueryClient();
  const [base, setBase] = useState(inbound);
  const query = useQuery({ ...inboundForm(inbound?.id ?? 0), enabled: inbound !== null });
  const latest = query.data;
  const isOutdated = base !== null && latest !== undefined && latest.version !== base.version;
  const found = base && latest && isOutdated ? differences(draftOf(base), draft, draftOf(latest)) : [];
  return {
    base,
    version: base?.version ?? '',
    isOutdated,
    found,
    /** Asks for the current state after a refused save. */
    look: (): void => void client.invalidateQueries({ queryKey: inboundForm(inbound?.id ?? 0).queryKey }),
    merge(kept: ReadonlySet<string>): void {
      setDraft(merged(draft, found, kept));
      if (latest) setBase(latest);
    },
  };
}
