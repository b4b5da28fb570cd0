import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/** Most members of an object that provides functions. */
export const MAX_MEMBERS = 12;

/**
 * The interfaces, object types and classes below `folder` that provide functions and have more than `MAX_MEMBERS` public
 * members: `file: name (count)`. An interface or an object type provides functions when one of its members is a function, or
 * when its name ends in Parts, Services or Options; its inherited members count. Of a class only its own members count: a
 * base class is checked itself. Packages are not read, so that this takes seconds.
 */
export function wideInterfaces(folder: string): { readonly wide: readonly string[]; readonly read: number } {
  const files = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, 'src', file));
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, types: [], lib: ['lib.es5.d.ts'] },
    ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext },
  };
  const host = ts.createCompilerHost(options);
  const resolve = (name: string, from: string): ts.ResolvedModuleFull | undefined =>
    name.startsWith('.') ? ts.resolveModuleName(name, from, options, host).resolvedModule : undefined;
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => ({ resolvedModule: resolve(text, from) }));
  const program = ts.createProgram(files, options, host);
  const checker = program.getTypeChecker();
  const wide: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = nameOf(node);
    if (name !== null) {
      const all = checker.getPropertiesOfType(checker.getTypeAtLocation(name)).filter(isPublic);
      const members = ts.isClassDeclaration(node)
        ? all.filter(({ valueDeclaration }) => isWithin(valueDeclaration, node))
        : all;
      const provides = (): boolean =>
        members.some((member) => checker.getTypeOfSymbol(member).getCallSignatures().length > 0);
      const counts = ts.isClassDeclaration(node) || /(Parts|Services|Options)$/.test(name.text) || provides();
      if (members.length > MAX_MEMBERS && counts)
        wide.push(`${relative(folder, node.getSourceFile().fileName)}: ${name.text} (${members.length})`);
    }
    ts.forEachChild(node, visit);
  };
  const sources = program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile);
  for (const source of sources) visit(source);
  return { wide: wide.sort(), read: sources.length };
}

/** The name of a declaration of an object type; null for others, such as a union. */
function nameOf(node: ts.Node): ts.Identifier | null {
  if (ts.isInterfaceDeclaration(node)) return node.name;
  if (ts.isClassDeclaration(node)) return node.name ?? null;
  const isObject =
    ts.isTypeAliasDeclaration(node) && (ts.isTypeLiteralNode(node.type) || ts.isIntersectionTypeNode(node.type));
  return isObject ? node.name : null;
}

/** Whether a member is declared in a class itself: in its body, or as a parameter of its constructor. */
function isWithin(member: ts.Declaration | undefined, type: ts.Node): boolean {
  return member !== undefined && (member.parent === type || member.parent.parent === type);
}

function isPublic({ valueDeclaration: declared }: ts.Symbol): boolean {
  if (!declared) return true;
  const name = ts.getNameOfDeclaration(declared);
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return !(name && ts.isPrivateIdentifier(name)) && !(ts.getCombinedModifierFlags(declared) & hidden);
}
