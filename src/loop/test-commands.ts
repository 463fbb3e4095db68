/** How single tests are called where a repository says more of it than its runner's name. */
import { z } from 'zod';

/** That commands may reach, with its port where that is another than the usual ones. */
export const hostName = z.string().regex(/^(?!-)[a-z0-9.-]+(?::[1-9]\d{0,4})?$/, {
  error: 'must be a name in small letters, with or without a port, such as "api.example.org:8443"',
});

/** How a runner of the repository's own is called, which writes JUnit's XML. */
export const junitCommand = z.strictObject({
  /** `{files}` stands for test files, `{report}` for the XML file that it writes. */
  run: z.string().refine((text) => text.includes('{files}') && text.includes('{report}'), {
    error: 'The command has to hold {files}, for the test files, and {report}, for the file that it writes.',
  }),
  /** Text of a test file that goes along with each; nothing is believed where its tests are not told as they are. */
  sentinel: z.string().refine((text) => text.includes('{name} passes') && text.includes('{name} fails'), {
    error: 'The sentinel has to hold a test "{name} passes", which passes, and one "{name} fails", which fails.',
  }),
});

/** The folder that tests are run in, by its path from the root. */
export const testDirectory = z.string().refine(isFolderPath, {
  error: ({ input }) =>
    `"commands.directory" is ${JSON.stringify(input)}, and must be a folder of the repository by its path from the root, as packages/shop: without "/" at its beginning, and without "." and "..".`,
});

function isFolderPath(text: string): boolean {
  const names = text.replace(/\/$/, '').split('/');
  return names.every((name) => !['', '.', '..', '.git'].includes(name));
}
