import { Fragment, type Node } from 'prosemirror-model'
import { parseBody } from '../../../../../wire/body/parseBody.ts'
import { renderTyped, renderUnescaped } from '../../../../../wire/body/renderMarkdown.ts'
import { isSlashCommand } from '../../slashCommands/isSlashCommand.ts'
import { blocksOf } from './blocksOf.ts'
import { docOf, docOfLines } from './docOf.ts'
import { schema, textBefore } from './schema.ts'

/** The document of a text in the stored form. `commands`: whether it can be a slash command, which is not parsed. */
export function docOfBody(body: string, commands: boolean): Node {
  if (commands && isSlashCommand(body)) return docOfLines(body)
  const doc = docOf(parseBody(body))
  const [spaces = ''] = /[^\S\r\n]*$/.exec(body) ?? []
  return spaces === '' ? doc : endWith(doc, spaces)
}

/** Ends a document with spaces. The parser removes them from the end of a text, and the next word needs them. */
function endWith(node: Node, spaces: string): Node {
  const last = node.lastChild
  if (node.inlineContent) {
    const isDone = node.type.spec.code || node.textContent.endsWith(spaces)
    return isDone ? node : node.copy(node.content.append(Fragment.from(schema.text(spaces))))
  }
  return last ? node.copy(node.content.replaceChild(node.childCount - 1, endWith(last, spaces))) : node
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
