import { relative, resolve } from 'node:path';
import ts from 'typescript';

/** A sentence that the panel says to people, with `{}` where a detail stands, and where in the source it is. */
export interface Sentence {
  readonly text: string;
  readonly where: string;
}

const root = resolve(import.meta.dirname, '../../..');
/** Calls whose first, or second, argument is said to people. `t` is the word of a page. */
const SAYING: Readonly<Record<string, number>> = {
  Message: 0,
  BodyError: 0,
  JsonProblem: 0,
  RefusedFile: 0,
  say: 0,
  Wrong: 0,
  t: 0,
  said: 1,
  tell: 2,
  settle: 0,
  nothing: 0,
};
/** Members of a rejection, a problem or a push that are said to people. */
const PROSE: ReadonlySet<string> = new Set(['why', 'by', 'reason', 'title', 'body', 'msg']);
/** Where a reason is on its way into an event, from which a notification or an answer takes it. */
const REASONS = /src\/(commands\/reactors|adapters\/(?!foreign\/))/;
/** Where a test of an outbound fails, and where an address is refused: the member `error` is said, and errors are. */
const PROBES = /src\/(adapters\/(core\/probe|web\/target)|http\/panel\/handlers\/outbound-tests)/;
/** Details inside of a sentence that are sentences, or words of ours, themselves. */
const NESTED: ReadonlySet<string> = new Set(['why', 'by', 'reason', 'what', 'message']);
/** Files whose zod schemas say what is wrong. */
const SCHEMAS = /src\/(events\/setting|http\/panel\/contract\/)/;
const CHECKS: ReadonlySet<string> = new Set([
  'int',
  'min',
  'max',
  'regex',
  'refine',
  'union',
  'email',
  'url',
  'length',
  'nonnegative',
  'positive',
  'enum',
  'startsWith',
]);
/** Files whose errors have a message for people. */
const PORTS = /src\/(commands\/ports|events)\//;
/** How far a sentence is followed through constants, functions and their arguments. */
const DEEPEST = 30;

/** The types of packages say nothing about our sentences, and take most of the time. */
const OWN_FILES_ONLY: ts.CompilerOptions = { noEmit: true, noResolve: true, types: [] };

/** Every sentence at those places in src, followed through constants, choices, functions and their arguments. */
export function sentencesInSource(): readonly Sentence[] {
  const config = ts.readConfigFile(resolve(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config.config, include: ['src'] }, ts.sys, root);
  const files = ts.sys.readDirectory(resolve(root, 'src'), ['.ts']);
  return new Search(ts.createProgram(files, { ...options, ...OWN_FILES_ONLY })).run();
}

class Search {
  readonly #checker: ts.TypeChecker;
  readonly #sources: readonly ts.SourceFile[];
  readonly #found = new Map<string, Sentence>();
  /** Whether single words are names and not said. */
  #phrases = false;
  readonly #seen = new Set<ts.Node>();
  /** The calls of every function, for the sentences that come in as arguments. */
  readonly #implementations = new Map<string, ts.Node[]>();
  readonly #calls = new Map<ts.Node, (ts.CallExpression | ts.NewExpression)[]>();

  constructor(program: ts.Program) {
    this.#checker = program.getTypeChecker();
    this.#sources = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${root}/src/`));
  }

  run(): readonly Sentence[] {
    const all: ts.Node[] = [];
    const collect = (node: ts.Node): void => {
      all.push(node);
      if (ts.isCallExpression(node) || ts.isNewExpression(node)) this.#index(node);
      if (isMember(node)) this.#implementations.set(node.name.getText(), [...this.#implementers(node), node]);
      ts.forEachChild(node, collect);
    };
    for (const source of this.#sources) collect(source);
    for (const node of all) for (const said of this.#saidAt(node)) this.#resolve(said, DEEPEST);
    this.#seen.clear();
    this.#phrases = true;
    for (const node of all) if (this.#isReason(node)) this.#resolve(node, DEEPEST);
    return [...this.#found.values()];
  }

  #index(call: ts.CallExpression | ts.NewExpression): void {
    const target = this.#declarationOf(call.expression);
    if (target) this.#calls.set(target, [...(this.#calls.get(target) ?? []), call]);
  }

  #saidAt(node: ts.Node): readonly ts.Node[] {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const name = nameOf(node.expression);
      const said = node.arguments?.[SAYING[name] ?? -1];
      if (said) return [said];
      const message = ts.isNewExpression(node) && this.#messageOf(node);
      if (message) return [message];
      const isCheck = ts.isCallExpression(node) && CHECKS.has(name) && SCHEMAS.test(node.getSourceFile().fileName);
      const last = node.arguments?.at(-1);
      return isCheck && last && this.#isText(last) ? [last] : [];
    }
    const isProse = ts.isPropertyAssignment(node) && PROSE.has(node.name.getText());
    if (isProse && this.#isText(node.initializer) && this.#isSaid(node)) return [node.initializer];
    if (ts.isShorthandPropertyAssignment(node) && PROSE.has(node.name.text) && this.#isSaid(node)) return [node];
    return [];
  }

  #isReason(node: ts.Node): boolean {
    if (PROBES.test(node.getSourceFile().fileName) && this.#isFailure(node)) return true;
    if (!ts.isPropertyAssignment(node) && !ts.isShorthandPropertyAssignment(node)) return false;
    const { parent } = node.parent;
    const logged = ts.isCallExpression(parent) && /^(warn|info|error|debug)$/.test(nameOf(parent.expression));
    return node.name.getText() === 'reason' && !logged && REASONS.test(node.getSourceFile().fileName);
  }

  #isFailure(node: ts.Node): boolean {
    if (ts.isNewExpression(node)) return nameOf(node.expression) === 'Error';
    return (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) && node.name.getText() === 'error';
  }

  /** Whether the object goes to `reject`, or is a problem or a push: others have members of these names too. */
  #isSaid(member: ts.PropertyAssignment | ts.ShorthandPropertyAssignment): boolean {
    const object = member.parent;
    const call = object.parent;
    if (ts.isCallExpression(call) && nameOf(call.expression) === 'reject') return true;
    const names = ts.isObjectLiteralExpression(object) ? object.properties.map(({ name }) => name?.getText()) : [];
    return names.includes('severity') || (names.includes('key') && names.includes('why'));
  }

  /** What an error of a port says: its parameter `message`. */
  #messageOf({ expression, arguments: given }: ts.NewExpression): ts.Expression | undefined {
    const declared = this.#declarationOf(expression);
    if (!declared || !ts.isClassDeclaration(declared) || !PORTS.test(declared.getSourceFile().fileName))
      return undefined;
    const parameters = declared.members.find(ts.isConstructorDeclaration)?.parameters ?? [];
    const index = parameters.findIndex(({ name }) => name.getText() === 'message');
    return given?.[index];
  }

  #isText(node: ts.Expression): boolean {
    const type = this.#checker.getTypeAtLocation(node);
    const parts = type.isUnion() ? type.types : [type];
    return parts.some((part) => (part.flags & (ts.TypeFlags.StringLike | ts.TypeFlags.Any)) !== 0);
  }

  #add(text: string, node: ts.Node): void {
    const source = node.getSourceFile();
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    // A code of a message: its texts are checked by `npm run messages`.
    if (/^[a-z-]+\.[a-zA-Z]+$/.test(text)) return;
    if (/[a-z]{2}/i.test(text) && !(this.#phrases && /^[\w-]+$/.test(text)) && !this.#found.has(text))
      this.#found.set(text, { text, where: `${relative(root, source.fileName)}:${line + 1}` });
  }

  #resolve(node: ts.Node, depth: number): void {
    if (depth === 0 || this.#seen.has(node)) return;
    this.#seen.add(node);
    const next = (inner: ts.Node): void => this.#resolve(inner, depth - 1);
    if (ts.isStringLiteralLike(node)) this.#add(node.text, node);
    else if (ts.isTemplateExpression(node)) {
      this.#add(patternOf(node), node);
      for (const { expression } of node.templateSpans) if (NESTED.has(nameOf(expression))) next(expression);
    } else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(next);
    else if (ts.isBinaryExpression(node)) this.#binary(node, next);
    else if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isAwaitExpression(node))
      next(node.expression);
    else if (ts.isElementAccessExpression(node)) this.#members(node.expression, next);
    else if (ts.isCallExpression(node)) this.#returned(node, next);
    else if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) this.#named(this.#declarationOf(node), next);
    else if (ts.isShorthandPropertyAssignment(node)) this.#named(this.#shorthand(node), next);
    else if (ts.isPropertyAssignment(node)) next(node.initializer);
    else if (ts.isNewExpression(node) && nameOf(node.expression) === 'Error') node.arguments?.forEach(next);
  }

  #binary(node: ts.BinaryExpression, next: (inner: ts.Node) => void): void {
    const { kind } = node.operatorToken;
    if (kind === ts.SyntaxKind.QuestionQuestionToken || kind === ts.SyntaxKind.BarBarToken) next(node.left);
    if (kind !== ts.SyntaxKind.PlusToken) next(node.right);
  }

  /** Every member of a table of sentences. */
  #members(table: ts.Expression, next: (inner: ts.Node) => void): void {
    let declared = this.#declarationOf(table);
    if (declared && ts.isVariableDeclaration(declared)) declared = declared.initializer;
    while (declared && (ts.isAsExpression(declared) || ts.isSatisfiesExpression(declared)))
      declared = declared.expression;
    if (!declared || !ts.isObjectLiteralExpression(declared)) return;
    for (const member of declared.properties) if (ts.isPropertyAssignment(member)) next(member.initializer);
  }

  /** What a function of ours returns; of an `if` chain all. */
  #returned(call: ts.CallExpression, next: (inner: ts.Node) => void): void {
    const port = this.#declarationOf(call.expression);
    if (port && (ts.isPropertySignature(port) || ts.isMethodSignature(port))) {
      for (const member of this.#implementers(port)) this.#returnedBy(functionIn(member) ?? this.#behind(member), next);
    } else this.#returnedBy(this.#functionOf(call.expression), next);
  }

  #implementers({ name }: { readonly name?: ts.PropertyName | undefined }): readonly ts.Node[] {
    return this.#implementations.get(name?.getText() ?? '') ?? [];
  }

  /** The function that a member of an object has as its value. */
  #behind(member: ts.Node): Returning | undefined {
    if (ts.isShorthandPropertyAssignment(member)) return functionIn(this.#shorthand(member));
    return ts.isPropertyAssignment(member) && ts.isIdentifier(member.initializer)
      ? this.#functionOf(member.initializer)
      : undefined;
  }

  #returnedBy(declared: Returning | undefined, next: (inner: ts.Node) => void): void {
    if (!declared?.body) return;
    if (ts.isExpression(declared.body)) return next(declared.body);
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node)) return;
      if (ts.isReturnStatement(node) && node.expression) next(node.expression);
      ts.forEachChild(node, visit);
    };
    visit(declared.body);
  }

  /** A constant, or what the callers give for a parameter. */
  #named(declared: ts.Node | undefined, next: (inner: ts.Node) => void): void {
    if (!declared) return;
    if (ts.isPropertySignature(declared)) {
      const here = declared.getSourceFile();
      for (const member of this.#implementers(declared)) if (member.getSourceFile() === here) next(member);
    }
    if (ts.isVariableDeclaration(declared) && declared.initializer) next(declared.initializer);
    else if (ts.isPropertyAssignment(declared)) next(declared.initializer);
    else if (ts.isParameter(declared)) {
      const owner = declared.parent;
      const index = owner.parameters.indexOf(declared);
      const keys = [owner, owner.parent, ts.isConstructorDeclaration(owner) ? owner.parent : owner];
      for (const call of keys.flatMap((key) => this.#calls.get(key) ?? [])) {
        const given = call.arguments?.[index];
        if (given) next(given);
      }
    }
  }

  #functionOf(callee: ts.Expression): Returning | undefined {
    return functionIn(this.#declarationOf(callee));
  }

  #declarationOf(node: ts.Expression): ts.Node | undefined {
    return this.#behindSymbol(this.#checker.getSymbolAtLocation(node));
  }

  #shorthand(member: ts.ShorthandPropertyAssignment): ts.Node | undefined {
    return this.#behindSymbol(this.#checker.getShorthandAssignmentValueSymbol(member));
  }

  #behindSymbol(named: ts.Symbol | undefined): ts.Node | undefined {
    let symbol = named;
    if (symbol && (symbol.flags & ts.SymbolFlags.Alias) !== 0) symbol = this.#checker.getAliasedSymbol(symbol);
    const declared = symbol?.valueDeclaration ?? symbol?.declarations?.[0];
    return declared?.getSourceFile().fileName.startsWith(`${root}/src/`) ? declared : undefined;
  }
}

type Returning = ts.FunctionDeclaration | ts.ArrowFunction | ts.FunctionExpression | ts.MethodDeclaration;
type Member = ts.PropertyAssignment | ts.ShorthandPropertyAssignment | ts.MethodDeclaration;

function isMember(node: ts.Node): node is Member {
  return ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node) || ts.isMethodDeclaration(node);
}

function functionIn(node: ts.Node | undefined): Returning | undefined {
  if (!node) return undefined;
  if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) return functionIn(node.initializer);
  const isOne = ts.isFunctionDeclaration(node) || ts.isArrowFunction(node) || ts.isFunctionExpression(node);
  return isOne || ts.isMethodDeclaration(node) ? node : undefined;
}

/** `Port {} is taken`. */
function patternOf(template: ts.TemplateExpression): string {
  return template.head.text + template.templateSpans.map(({ literal }) => `{}${literal.text}`).join('');
}

function nameOf(callee: ts.Expression): string {
  return ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
}
