import type { Text } from '../../messages/message.js';

/**
 * An outcome that is a file. Unless it is kept, it is deleted as soon as it is open, so nothing remains if the caller
 * disconnects.
 */
export class Download {
  readonly path: string;
  /** The suggested file name: letters, digits, dots and dashes. */
  readonly name: string;
  readonly bytes: number;
  readonly isKept: boolean;

  constructor({ path, name, bytes, isKept = false }: Pick<Download, 'path' | 'name' | 'bytes'> & Partial<Download>) {
    this.isKept = isKept;
    this.path = path;
    this.name = name;
    this.bytes = bytes;
  }
}

/** An outcome that is a document for a frame of the panel, with a Content-Security-Policy of its own. */
export class FramedPage {
  readonly html: string;
  readonly policy: string;

  constructor(html: string, policy: string) {
    this.html = html;
    this.policy = policy;
  }
}

/** An outcome that is text to be saved as a file. */
export class Attachment {
  readonly media: string;
  /** The suggested file name: letters, digits, dots and dashes. */
  readonly name: string;
  readonly text: string;

  constructor({ media, name, text }: Attachment) {
    this.media = media;
    this.name = name;
    this.text = text;
  }
}

/** An outcome that is a long text to be saved as a file, sent as it is made and as fast as the caller reads it. */
export class TextStream {
  readonly media: string;
  /** The suggested file name: letters, digits, dots and dashes. */
  readonly name: string;
  readonly lines: AsyncIterable<string>;

  constructor({ media, name, lines }: Pick<TextStream, 'media' | 'name' | 'lines'>) {
    this.media = media;
    this.name = name;
    this.lines = lines;
  }
}

/** An outcome that is a sentence, not an object: the envelope's `msg`. */
export class Message {
  readonly text: Text;
  readonly obj: unknown;

  constructor(text: Text, obj: unknown = null) {
    this.text = text;
    this.obj = obj;
  }
}
