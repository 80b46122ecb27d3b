/** A range of the source: `source.slice(start, end)` is what was typed for a node, with its marks. */
export interface SourceRange {
  start: number
  end: number
}

export interface Text extends SourceRange {
  type: 'text'
  /** As it is shown: without the backslashes of escapes. */
  text: string
}

export interface LineBreak extends SourceRange {
  type: 'lineBreak'
}

/** `<@profile-id>`, `<@&group-id>`, `<#channel-id>`, `<!channel>`, `<!here>`. */
export interface Mention extends SourceRange {
  type: 'mention'
  /** A profile id, 'channel' or 'here', or 'me': the author of an action. Of a group, its id after an "&"; of a channel, its id after a "#". */
  who: string
}

/** `:name:`. A reader that knows no emoji of this name shows what was typed. */
export interface EmojiName extends SourceRange {
  type: 'emoji'
  name: string
}

/** `**strong**`, `*emphasis*` or `_emphasis_`, `~~strikethrough~~`, `||spoiler||`. */
export interface Marked extends SourceRange {
  type: 'strong' | 'emphasis' | 'strikethrough' | 'spoiler'
  children: Inline[]
}

export interface CodeSpan extends SourceRange {
  type: 'code'
  children: CodeContent
}

/** `$TeX$`, or `$$TeX$$` for a formula in a line of its own. */
export interface Formula extends SourceRange {
  type: 'formula'
  text: string
  isDisplay: boolean
}

export interface Link extends SourceRange {
  type: 'link'
  /** `[text](address)`, `![text](address)`, `<address>`, or an address alone. */
  form: 'text' | 'image' | 'angle' | 'bare'
  /** The address in the form of browsers, of the web or of a mailbox. */
  href: string
  children: Inline[]
}

export type Inline = Text | LineBreak | Mention | EmojiName | Marked | CodeSpan | Formula | Link

/** Code is text. An unescaped mention is a mention in code, too. */
export type CodeContent = (Text | Mention)[]

export interface Paragraph extends SourceRange {
  type: 'paragraph'
  children: Inline[]
}

export interface Heading extends SourceRange {
  type: 'heading'
  /** Number of signs, 1 to 6. */
  level: number
  children: Inline[]
}

export interface CodeBlock extends SourceRange {
  type: 'codeBlock'
  /** The name after the fence, in lower case; empty: none. */
  language: string
  /** Everything after the fence. */
  info: string
  children: CodeContent
}

export interface FormulaBlock extends SourceRange {
  type: 'formulaBlock'
  text: string
}

export interface Quote extends SourceRange {
  type: 'quote'
  children: Block[]
}

export interface ListItem extends SourceRange {
  /** As it was typed: `-`, `*`, `3.` or `3)`. */
  marker: string
  /** The number of an item of an ordered list; else null. */
  number: number | null
  task: Task | null
  children: Block[]
}

/** The box of an item: `[ ]` or `[x]`. */
export interface Task {
  isDone: boolean
  /** What its ticks are for: how many equal lines are before its line, a space, and the line. */
  line: string
}

export interface List extends SourceRange {
  type: 'list'
  isOrdered: boolean
  items: ListItem[]
}

export interface TableCell extends SourceRange {
  children: Inline[]
}

export type Alignment = 'start' | 'center' | 'end' | null

export interface Table extends SourceRange {
  type: 'table'
  /** One for each column. */
  alignments: Alignment[]
  header: TableCell[]
  /** Each row has a cell for each column. */
  rows: TableCell[][]
}

export interface Rule extends SourceRange {
  type: 'rule'
}

export type Block = Paragraph | Heading | CodeBlock | FormulaBlock | Quote | List | Table | Rule

/** The text of code, with mentions as they are stored. */
export function codeText(source: string, children: CodeContent): string {
  return children.map((one) => (one.type === 'text' ? one.text : source.slice(one.start, one.end))).join('')
}
