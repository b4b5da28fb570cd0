import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { run } from '../../src/cli/program.js';
import { OperatorError } from '../../src/lib/errors/operator-error.js';
import { type Message, message } from '../../src/messages/message.js';
import { cliLanguage, rendererFor } from '../../src/messages/terminal.js';

describe('the language of the command line', () => {
  it.each([
    [{ PORTOLAN_LANG: 'ru', LC_ALL: 'fa_IR.UTF-8', LANG: 'zh_CN' }, 'ru'],
    [{ LC_ALL: 'fa_IR.UTF-8', LC_MESSAGES: 'ru_RU', LANG: 'zh_CN' }, 'fa'],
    [{ LC_ALL: '', LC_MESSAGES: 'ru_RU.KOI8-R', LANG: 'zh_CN' }, 'ru'],
    [{ LANG: 'zh_CN.UTF-8' }, 'zh'],
    [{ LANG: 'ar@arabic' }, 'ar'],
    [{ LANG: 'C.UTF-8' }, 'en'],
    [{ LANG: 'de_DE.UTF-8' }, 'en'],
    [{ PORTOLAN_LANG: 'klingon', LANG: 'ru_RU' }, 'en'],
    [{}, 'en'],
  ])('of %j is %s', (env, language) => {
    expect(cliLanguage(env)).toBe(language);
  });

  it('shows values without marks that a terminal would display', () => {
    const said = rendererFor('fa')(message('cli.adminUnknown', { username: 'ann' }));
    expect(said).toBe('مدیری با نام ann وجود ندارد');
  });

  it('is used for errors', async () => {
    const written: string[] = [];
    const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    onTestFinished(() => spy.mockRestore());
    const code = await run(['node', 'portolan', 'core', 'install', 'x'], { LANG: 'ru_RU.UTF-8' }, async () => 0);
    expect([code, written]).toEqual([2, ['portolan: x — не версия: укажите, например, 26.7.28 или latest\n']]);
  });

  it('is English where it lacks a text, with one warning', async () => {
    const written: string[] = [];
    const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    onTestFinished(() => spy.mockRestore());
    const future = JSON.parse('{"code":"cli.ofTheFuture","params":{}}') as Message;
    const fails = () => Promise.reject(new OperatorError(message('cli.fileProblem', { file: 'x', why: future })));
    for (const _ of [1, 2]) expect(await run(['node', 'portolan', 'serve'], { LANG: 'ru_RU.UTF-8' }, fails)).toBe(1);
    const warning = 'portolan: В языке ru нет текста или одного из его параметров: cli.ofTheFuture\n';
    expect(written.filter((line) => line === warning)).toHaveLength(1);
    expect(written.at(-1)).toBe('portolan: x: cli.ofTheFuture\n');
  });

  it.each([
    [['nonsense'], 'Команды nonsense нет'],
    [['events', 'tial'], 'Команды tial нет. Возможно, вы имели в виду tail?'],
    [['--nonsense'], 'Параметра --nonsense нет'],
    [['events', 'why'], 'Не указан аргумент client'],
    [['--port'], 'Параметру --port <value> нужно значение'],
    [['events', 'why', 'a', 'b'], 'Слишком много аргументов'],
  ])('is that of a wrong usage: %j', async (args, text) => {
    const written: string[] = [];
    const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
    onTestFinished(() => spy.mockRestore());
    const code = await run(['node', 'portolan', ...args], { LANG: 'ru_RU.UTF-8' }, async () => 0);
    expect([code, written]).toEqual([2, [`portolan: ${text}\n`]]);
  });
});
