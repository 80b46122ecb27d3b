/** The longest message. */
export const MAX_CHARACTERS = 20_000

/** The part of `tests/support/random.ts` that is needed here. */
interface Random {
  below: (bound: number) => number
  pick: <T>(list: readonly T[]) => T | undefined
}

/** What rules of Markdown begin, end or look for, what lies between, and what would be dangerous as HTML. */
const INLINE =
  '* ** *** _ __ ~~ ~ ` ``` [ ] ( ) ]( ![ < > | || $ $$ - |-| # ! & \\ = === --- : . @ \' " <a </a> <!-- <? <![CDATA[ ' +
  '&amp; a 潮 [a]: [^ http://a www.a a@b.c <!channel> <@0f0e8a52-9d1c-4c1e-8a51-111111111111> ' +
  '\\frac{ \\def\\a{ \\a }{ ^{ \\href{javascript:a}{ \\htmlStyle{color:red}{ \\begin{ \\color{red} ' +
  '[a](javascript:a) <javascript:a> [a](data:text/html,a) <script> <img/src=a/onerror=a> style="color:red" onclick="a"'
const BLOCKS = [
  '- ',
  '* ',
  '+ ',
  '> ',
  '# ',
  '1. ',
  '- [ ] ',
  '```js\n',
  ' ',
  '    ',
  '\t',
  '\n',
  '\n\n',
  '\r',
]
export const FRAGMENTS = [...INLINE.split(' '), ...BLOCKS]

export function fillText(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
}

/** A text whose parts repeat, which is what makes a parser quadratic. */
export function adversarialText(random: Random): string {
  const unit = (): string =>
    Array.from({ length: 1 + random.below(6) }, () => random.pick(FRAGMENTS)).join('')
  switch (random.below(5)) {
    case 0:
      return fillText(unit(), MAX_CHARACTERS)
    case 1:
      return fillText(unit(), MAX_CHARACTERS / 2) + fillText(unit(), MAX_CHARACTERS / 2)
    case 2: {
      const line = fillText(unit(), 2 + random.below(900)) + random.pick(['\n', '\n\n'])
      return fillText(line, MAX_CHARACTERS)
    }
    case 3:
      return (unit() + fillText(unit(), MAX_CHARACTERS)).slice(0, MAX_CHARACTERS - 10) + unit().slice(0, 10)
    default:
      return fillText(Array.from({ length: 10_000 }, () => random.pick(FRAGMENTS)).join(''), MAX_CHARACTERS)
  }
}

/** The same text with another fragment inserted at regular distances. */
export function mutateText(text: string, random: Random): string {
  const length = 1 + random.below(1_000)
  const parts = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []
  return fillText(parts.join(random.pick(FRAGMENTS)), MAX_CHARACTERS)
}
