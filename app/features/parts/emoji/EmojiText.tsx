import { createElement, Fragment, Suspense, type ReactNode } from 'react'
import { useClientSession } from '../../../data/hooks/useClientSession.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

const CustomEmojiImage = lazyComponent(() => import('./CustomEmojiImage.tsx'))

const CUSTOM = /(:[a-z0-9][a-z0-9_-]{1,31}:)/

/** A text with the custom emoji for each `:name:` in it; the names of others, and of deleted ones, remain text. */
export function EmojiText({ text }: { text: string }): ReactNode {
  const hasCustom = useClientSession((session) => !!session?.store.get().workspace?.emoji_version)
  if (!hasCustom) return text
  // Without keys: a text is replaced as a whole.
  return createElement(Fragment, null, ...text.split(CUSTOM).map(renderPart))
}

/** `split` returns what is between matches at even indexes, the matches at odd ones. */
function renderPart(part: string, index: number): ReactNode {
  return index % 2 === 0 ? part : <CustomEmojiImageOrText text={part} />
}

function CustomEmojiImageOrText({ text }: { text: string }) {
  return (
    <Suspense fallback={text}>
      <CustomEmojiImage text={text} />
    </Suspense>
  )
}

/** The text of a message's line: an element only where there may be custom emoji. */
export function withEmoji(text: string): ReactNode {
  return CUSTOM.test(text) ? <EmojiText text={text} /> : text
}
