import { createElement, Fragment, Suspense, type ReactNode } from 'react'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

const NamedEmoji = lazyComponent(() => import('./NamedEmoji.tsx'))

/** `:name:`. Digits between colons are a time. */
const NAME = /(:(?!\d+:)[a-z\d_+-]{1,64}:)/

/** A text with the emoji for each `:name:` in it; the names of others, and of deleted ones, remain text. */
export function EmojiText({ text }: { text: string }): ReactNode {
  // Without keys: a text is replaced as a whole.
  return createElement(Fragment, null, ...text.split(NAME).map(renderPart))
}

/** `split` returns what is between matches at even indexes, the matches at odd ones. */
function renderPart(part: string, index: number): ReactNode {
  return index % 2 === 0 ? part : <EmojiName name={part.slice(1, -1)} />
}

/** The emoji of a name, or `:name:` if there is none. */
export function EmojiName({ name }: { name: string }) {
  return (
    <Suspense fallback={`:${name}:`}>
      <NamedEmoji name={name} />
    </Suspense>
  )
}

/** The text of a line: an element only where there may be names of emoji. */
export function withEmoji(text: string): ReactNode {
  return NAME.test(text) ? <EmojiText text={text} /> : text
}
