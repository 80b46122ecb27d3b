import { expect, it } from 'vitest'
import { checkStyles, findBroadSelectors, findLiterals } from './styles.mjs'

const path = 'app/features/conversation/message/MessageRow.module.css'

// Each rule is broken once: a check that reads no declarations finds no problem either.
it.each([
  'width: 36px',
  'margin: 0 -8px',
  'padding: calc(var(--gutter) + 12px)',
  'padding-inline: 0.5rem',
  'gap: 1rem 0',
  'color: #fff',
  'color: red',
  'background: oklch(0.5 0.1 20)',
  'background: color-mix(in oklab, var(--ink) 50%, var(--paper))',
  'border: 1px solid var(--line)',
  'border-width: 0.125rem',
  'font: 550 var(--text-small) / var(--line-height-small) var(--sans)',
  'font-size: 0.8125rem',
  'line-height: 1.25rem',
  'line-height: 1.4',
  'font-weight: 600',
  'border-radius: 0.375rem',
  'border-start-start-radius: 4px',
  'z-index: 2',
  'outline: 2px solid var(--ink)',
  'outline-offset: 0.125rem',
])('refuses %s outside the table of tokens', (declaration) => {
  expect(findLiterals(path, `.row {\n  ${declaration};\n}\n`)).toEqual([
    expect.stringContaining(`${path}:2 ${declaration}`),
  ])
})

it.each([
  'width: 20.375rem',
  'width: min(35rem, calc(100vw - var(--space-6)))',
  'padding: 0 max(0px, (100% - var(--column)) / 2) var(--space-6)',
  'margin: calc(-1 * var(--space-2))',
  'margin-top: calc((var(--line-height-body) - var(--space-4)) / 2)',
  'border: var(--hairline) solid transparent',
  'border-radius: 0',
  'border-radius: calc(0.28 * var(--size))',
  'background: currentcolor',
  'white-space: nowrap',
  'font-size: 1.1em',
  'font-size: inherit',
  'line-height: 1',
  'outline: none',
  "content: '#fff'",
])('accepts %s', (declaration) => {
  expect(findLiterals(path, `.row {\n  ${declaration};\n}\n`)).toEqual([])
})

it('refuses pixels in the condition of a media query', () => {
  expect(findLiterals(path, '@media (max-width: 480px) {\n  .row {\n    gap: 0;\n  }\n}\n')).toEqual([
    expect.stringContaining('@media (max-width: 480px)'),
  ])
})

it('reads no comments, and lets app/ui name colours and pixels', () => {
  const files = new Map([
    [path, '/* color: #fff; width: 4px; */\n'],
    ['app/ui/Button.module.css', '.button {\n  color: #fff;\n  width: 4px;\n}\n'],
  ])
  expect(checkStyles(files)).toEqual([])
})

it('finds custom properties that no file defines, and tokens that no style uses', () => {
  const files = new Map([
    ['app/ui/tokens.css', ':root {\n  --ink: black;\n  --unused: black;\n}\n'],
    [path, '.row {\n  color: var(--ink);\n  fill: var(--hue);\n  stroke: var(--missing);\n}\n'],
    ['app/features/conversation/message/MessageRow.tsx', "const style = { '--hue': 20 }\n"],
  ])
  expect(checkStyles(files)).toEqual([
    `${path} uses --missing, which no file defines`,
    'app/ui/tokens.css defines --unused, which no style uses',
  ])
})

it.each([
  'form:has(.notice) > :not(:has(.notice))',
  ':has(> .notice) > :not(.notice)',
  'article:has(> .box) > :first-child',
  '.row:has(.check) *',
  '.row, .row:has(.check) + :last-child',
])('refuses %s, which selects any element below one with :has()', (selector) => {
  const sheet = `.row {\n  gap: 0;\n}\n\n${selector} {\n  gap: 0;\n}\n`
  expect(findBroadSelectors(path, sheet)).toEqual([expect.stringContaining(`${path}:5 ${selector}`)])
})

it.each([
  '.option:has(input:checked)',
  '.composer:has([data-preview]) .field',
  '.filters > :has([type="search"])',
  '.table tr:has(.check)',
  '.row:has(.check) input:first-child',
  '.row > :first-child',
])('accepts %s', (selector) => {
  expect(findBroadSelectors(path, `${selector} {\n  gap: 0;\n}\n`)).toEqual([])
})
