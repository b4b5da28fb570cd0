/** Why a file is refused, for the person who sent it. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile';
}
