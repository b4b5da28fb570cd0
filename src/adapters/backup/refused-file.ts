/** Why a file is not taken: a sentence for whoever sent it. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile';
}
