import type { CommanderError } from 'commander';
import { message, type Text } from '../messages/message.js';

/** What is wrong with a command line, from the error of commander, which names the part in quotes. */
export function usageText({ code, message: words }: CommanderError): Text {
  const name = /'([^']*)'/.exec(words)?.[1] ?? '';
  const problem = problemText(code, name) ?? message('cli.usageInvalid', { problem: words });
  const names = /Did you mean (?:one of )?(.+?)\?/.exec(words)?.[1];
  return names === undefined ? problem : message('cli.didYouMean', { problem, names });
}

function problemText(code: string, name: string): Text | undefined {
  switch (code) {
    case 'commander.unknownCommand':
      return message('cli.unknownCommand', { name });
    case 'commander.unknownOption':
      return message('cli.unknownOption', { name });
    case 'commander.missingArgument':
      return message('cli.missingArgument', { name });
    case 'commander.optionMissingArgument':
      return message('cli.optionNeedsValue', { name });
    case 'commander.missingMandatoryOptionValue':
      return message('cli.requiredOption', { name });
    case 'commander.excessArguments':
      return message('cli.tooManyArguments');
    default:
      return undefined;
  }
}
