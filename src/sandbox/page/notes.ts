/** What an action had to say, for the page that is shown after it. */
export interface Note {
  readonly good: boolean;
  readonly text: string;
}

const MOST = 50;

/** Notes on their way from an action to the page. They are named in the address, never written there. */
export interface Notes {
  leave(note: Note): string;
  read(name: string): Note | undefined;
}

export function createNotes(): Notes {
  let count = 0;
  const notes = new Map<string, Note>();
  return {
    leave: (note) => {
      const name = String(++count);
      notes.set(name, note);
      notes.delete(String(count - MOST));
      return name;
    },
    read: (name) => notes.get(name),
  };
}
