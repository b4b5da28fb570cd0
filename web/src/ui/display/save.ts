/** Characters that no file system takes in a name, or that hide its end. */
const UNSAFE = /[^\p{L}\p{N}._@-]+/gu;

/** Saves a file on the machine of the admin. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll(UNSAFE, '-').slice(0, 100);
  link.click();
  // The browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
