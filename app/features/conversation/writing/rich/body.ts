import type { Node } from 'prosemirror-model'
import { parseBody } from '../../../../../wire/body/parseBody.ts'
import { renderTyped, renderUnescaped } from '../../../../../wire/body/renderMarkdown.ts'
import { isSlashCommand } from '../../slashCommands/isSlashCommand.ts'
import { blocksOf } from './blocksOf.ts'
import { docOf, docOfLines } from './docOf.ts'
import { textBefore } from './schema.ts'

/** The document of a text in the stored form. `commands`: whether it can be a slash command, which is not parsed. */
export function docOfBody(body: string, commands: boolean): Node {
  return commands && isSlashCommand(body) ? docOfLines(body) : docOf(parseBody(body))
}

/** The text of a document in the stored form. */
export function bodyOfDoc(doc: Node, commands: boolean): string {
  const blocks = blocksOf(doc)
  return commands && isCommandDoc(doc) ? renderUnescaped(blocks) : renderTyped(blocks)
}

/** Whether a document is a slash command. */
export function isCommandDoc({ firstChild }: Node): boolean {
  return (
    firstChild?.type.name === 'paragraph' && isSlashCommand(textBefore(firstChild, firstChild.content.size))
  )
}
