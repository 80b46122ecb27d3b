import { expect, it } from 'vitest'
import { convertEmoticons } from './convertEmoticons.ts'

it.each([
  [':)', '🙂'],
  ['Thanks :-) see you ;)', 'Thanks 🙂 see you 😉'],
  [':D :P :( :/\n:o <3 </3', '😄 😛 🙁 😕\n😮 ❤️ 💔'],
  ["**well done :)** and _oh :'(_", '**well done 🙂** and _oh 😢_'],
  ['- one :)\n- two\n\n> three :(', '- one 🙂\n- two\n\n> three 🙁'],
  ['| :) | b |\n|-|-|\n| c | <3 |', '| 🙂 | b |\n|-|-|\n| c | ❤️ |'],
  [':) `:)` :)', '🙂 `:)` 🙂'],
])('%j becomes %j', (typed, sent) => {
  expect(convertEmoticons(typed)).toBe(sent)
})

it.each([
  ['an address', 'http://a.example :// https://a.example/:) http:/ /'],
  ['a time in parentheses', 'tomorrow (at 10:00) or (10:)'],
  ['a reversed one', '(: and ):'],
  ['one after a word', 'foo:) ok:D C:/ a<3'],
  ['one before a word', ':Paul :)x <30 :) 10'.replace(':) 10', ':)10')],
  ['a code span', '`a :) b` and ``c :D``'],
  ['a code block', '```\na :)\n:D\n```'],
  ['a formula', '$a :) b$ and $$c :D d$$'],
  ['the text of a link', '[so :) nice](https://a.example)'],
  ['one after a backslash', String.raw`\:) and \<3`],
  ['the name of an emoji', ':smile: :o:'],
])('%s stays', (_, typed) => {
  expect(convertEmoticons(typed)).toBe(typed)
})
