import type { RepositoryKey } from './repository/keys.ts'

/** A page of plain text for a safe place: what is backed up where, the key, and how to restore. */
export function renderRecoverySheet(o: {
  installation: string
  url: string | null
  dir: string
  /** The newest first. */
  keys: readonly RepositoryKey[]
  printedAt: Date
}): string {
  const [current, ...earlier] = o.keys
  return `LINNET RECOVERY SHEET                                    printed ${o.printedAt.toISOString().slice(0, 10)}

This page opens the backups of one Linnet server. Anyone who has this page and a
copy of the backups can read all messages and files. Keep it where you keep passports.
Without it, copies of the backups on other machines cannot be restored.

Server        ${o.url ?? `installation ${o.installation}`}
Installation  ${o.installation}
Backups       ${o.dir}

Key (created ${current!.createdAt.slice(0, 10) || 'on an unknown day'})

  ${current!.identity}

${
  earlier.length === 0
    ? ''
    : `Earlier keys, for backups that were made before:

${earlier.map(({ identity }) => `  ${identity}`).join('\n')}

`
}To restore on this or another machine
  1. Install the same or a newer version of Linnet on the same platform:
     npm install -g linnet
  2. Copy the folder with the backups to that machine.
  3. Type the key above into a file, for example key.txt, or scan this page.
  4. Run:  linnet restore FOLDER --data NEW-FOLDER --key-file key.txt
  5. Start it:  linnet start --data NEW-FOLDER
     It sends nothing to other servers until you confirm that the original is gone.
  6. Confirm it:  linnet resume --data NEW-FOLDER

Without Linnet, the program age (age-encryption.org) opens every file that ends in .age:
     age -d -i key.txt base.tar.br.age | brotli -d | tar -x
`
}
