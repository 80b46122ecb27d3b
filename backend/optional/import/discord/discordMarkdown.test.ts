import { describe, expect, it } from 'vitest'
import { composeMessage } from '../../../../supabase/functions/_shared/composeMessage.ts'
import { parseBody } from '../../../../wire/body/parseBody.ts'
import { discordMarkdown, type DiscordTokens } from './discordMarkdown.ts'

const ann = '11111111-1111-4111-8111-111111111111'
const general = '22222222-2222-4222-8222-222222222222'
const tokens: DiscordTokens = {
  person: (id) => (id === '1' ? `<@${ann}>` : null),
  role: (id) => (id === '7' ? '@Nurses' : null),
  channel: (id) => (id === '2' ? `<#${general}>` : null),
  emoji: (name, id) => (id === '5' || name === 'Party' ? ':party:' : null),
  address: (url) => (url === 'https://discord.com/channels/1/2/3' ? 'https://linnet.example/c/2/m/3' : null),
  names: [
    { name: 'Ann Lee', markdown: `<@${ann}>` },
    { name: 'Ann', markdown: '<@ann>' },
  ],
}
const bodyOf = (text: string): string =>
  composeMessage({ text: discordMarkdown(text, tokens), cards: [] }).body

describe('marks of Discord', () => {
  it.each([
    ['**bold** *italic* _italic_ ~~struck~~ `code`', '**bold** *italic* *italic* ~~struck~~ `code`'],
    ['||a secret|| here', '||a secret|| here'],
    ['__underlined__ and __*both*__', '*underlined* and _*both*_'],
    ['***both*** and **bold *inside***', '***both*** and **bold *inside***'],
    ['**two\nlines**', '**two**\n**lines**'],
    ['**bold **and more', '**bold** and more'],
    ['in**side**words', 'insidewords'],
    ['**unfinished and *this', '**unfinished and *this'],
    ['snake_case_name and 2*3*4', 'snake_case_name and 2*3*4'],
    ['`a **b** <@1>`', '`a **b** <@1>`'],
    ['``a ` b``', '`` a ` b ``'],
  ])('%j becomes %j', (text, body) => {
    expect(bodyOf(text)).toBe(body)
  })

  it.each([
    [String.raw`\*not italic\*`, String.raw`\*not italic*`],
    [String.raw`\_\_init\_\_`, '__init__'],
    [String.raw`¯\_(ツ)_/¯`, String.raw`¯\_(ツ)_/¯`],
    [String.raw`C:\temp\*.txt *a*`, String.raw`C:\temp*.txt *a*`],
    [String.raw`\:tada: :tada:`, String.raw`\:tada: :tada:`],
    [String.raw`\||open||`, String.raw`\||open||`],
  ])('behind a backslash are text: %j', (text, body) => {
    expect(bodyOf(text)).toBe(body)
  })

  it('are read within a bound of time, however many have no end', () => {
    for (const part of ['**a', '_a__', '||', '`', '[a](', '*a ', '<', '~~~', '__'])
      expect(bodyOf(part.repeat(4_000 / part.length)).length).toBeGreaterThan(0)
  })

  it('are text in a text that is longer than any of Discord', () => {
    expect(bodyOf(`${'word '.repeat(2_001)}*a*`).endsWith(String.raw`\*a*`)).toBe(true)
  })
})

describe('blocks of Discord', () => {
  it.each([
    ['# Plan\nfor all', '# Plan\nfor all'],
    ['Hi\n## Plan\nfor all', 'Hi\n\n## Plan\nfor all'],
    ['# Alone', '**Alone**'],
    ['-# small', '*small*'],
    ['- a\n- b\n  - c\n* d', '- a\n- b\n  - c\n- d'],
    ['1. a\n2. b', '1. a\n2. b'],
    ['> quoted\n> **more**\nnot', '> quoted\n> **more**\nnot'],
    ['a\n>>> all\nof it\n- x', 'a\n> all\n> of it\n> - x'],
    ['```js\nlet a\n```', '```js\nlet a\n```'],
    ['see ```let a``` here', 'see\n```\nlet a\n```\n here'],
    ['> ```\n> code\n> ```', '> ```\n> code\n> ```'],
    ['```\n> no quote **x**\n```', '```\n> no quote **x**\n```'],
  ])('%j become %j', (text, body) => {
    expect(bodyOf(text).replaceAll(/^see $/gm, 'see')).toBe(body)
  })

  it.each([
    '>no quote',
    String.raw`\> no quote`,
    String.raw`\- no item`,
    '+ no item',
    'a | b\n-|-\nc | d',
    'a\n-',
    '1) no item',
    '#### no heading\nhere',
    '#hash\nhere',
    'a\n\n---\n\nb',
    '| a | b |\n|-|-|\n| c | d |',
    '$x$ and $$y$$',
    '![no picture]',
    '<!channel> <!here>',
    `<@${ann}>`,
    `<#${general}>`,
  ])('that Discord does not have are text: %j', (text) => {
    const texts = JSON.stringify(parseBody(bodyOf(text)), (_key, value: { type?: string; text?: string }) =>
      value?.type === 'text' ? value.text : value,
    )
    expect(texts).not.toMatch(/"type":"(?!paragraph|lineBreak)/)
  })
})

describe('tokens', () => {
  it.each([
    ['Hi <@1>, <@!1>', `Hi <@${ann}>, <@${ann}>`],
    ['<@9> <@&9> <#9>', '<@9> <@&9> <#9>'],
    ['<@&7> in <#2>', `@Nurses in <#${general}>`],
    ['**<@1>**', `**<@${ann}>**`],
    ['@everyone @here @hereafter', '<!channel> <!here> @hereafter'],
    [String.raw`\@everyone`, '@everyone'],
    ['@Ann Lee, @Ann Leeson, @Anna', `<@${ann}>, <@ann> Leeson, @Anna`],
    ['<:Party:5> <a:Party:5> :Party: :other:', ':party: :party: :party: :other:'],
    ['</ask us:3> <id:browse>', '/ask us #browse'],
    [
      '<t:1700000000> <t:1700000000:R> <t:1700000000:D> <t:1700000000:T>',
      '2023-11-14 22:13 UTC 2023-11-14 22:13 UTC 2023-11-14 22:13:20 UTC',
    ],
    ['<t:99999999999999>', 'Invalid date'],
    ['<t:-86400:d>', '1969-12-31'],
  ])('%j become %j', (text, body) => {
    expect(bodyOf(text)).toBe(body)
  })
})

describe('links', () => {
  it.each([
    ['https://a.example/x_y_z.', '<https://a.example/x_y_z>.'],
    ['(https://a.example/x_(y))', '(<https://a.example/x_(y)>)'],
    ['<https://a.example/*b*>', '<https://a.example/*b*>'],
    ['**https://a.example**', '**<https://a.example/>**'],
    ['[the **plan**](https://a.example/x)', '[the **plan**](<https://a.example/x>)'],
    ['[x](<https://a.example/x> "title")', '[x](<https://a.example/x>)'],
    ['[x](javascript:alert(1))', '[x](javascript:alert(1))'],
    ['https://discord.com/channels/1/2/3', '<https://linnet.example/c/2/m/3>'],
    ['[here](https://discord.com/channels/1/2/3)', '[here](<https://linnet.example/c/2/m/3>)'],
  ])('%j become %j', (text, body) => {
    expect(bodyOf(text)).toBe(body)
  })
})
