/** A folder that commands are shown in place of one of the machine's, at its path: scripts and settings in it that name the path hold. */

export interface StandIn {
  /** Where commands find either. */
  readonly place: string;
  /** Shows the folder to every command from now on, none of which may write it; undefined gives back what the machine has there. */
  show(folder: string | undefined): void;
  /** The folder that is shown; undefined where it is the machine's own. */
  shown(): string | undefined;
}

export function createStandIn(place: string): StandIn {
  let folder: string | undefined;
  return {
    place,
    show(other) {
      folder = other;
    },
    shown: () => folder,
  };
}

/** Arguments of bubblewrap; `own` is a folder that this command alone is shown, and may write. */
export function standInBinds(standIn: StandIn | undefined, own: string | undefined): readonly string[] {
  if (standIn === undefined) return [];
  if (own !== undefined) return ['--bind', own, standIn.place];
  const shown = standIn.shown();
  return shown === undefined ? [] : ['--ro-bind', shown, standIn.place];
}
