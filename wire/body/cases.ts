/** A text of a message with what readers make of it. */
export interface Case {
  /** Cases of one subject, in the order of docs/formatting.md. */
  subject: string
  text: string
  /** The page, in the notation of `testing/describeBlocks.ts`. */
  shown: string
  /** One line of text. `@name` for mentions, "…" for what spoilers hide. */
  line: string
  /** The addresses that have a preview; none if it is missing. */
  links?: string[]
  /** Who and what is mentioned; nobody if it is missing. */
  mentions?: string[]
  /** The normal form of the text, which means the same; the text itself if it is missing. */
  normal?: string
}

/** The ids in the cases. */
export const ANN = '00000000-0000-4000-8000-00000000000a'
export const ROTA = '00000000-0000-4000-8000-00000000000b'
export const NIGHT = '00000000-0000-4000-8000-00000000000c'

/** The names of the ids. */
export const names = new Map([
  [ANN, 'Ann'],
  [ROTA, 'rota'],
  [`&${NIGHT}`, 'night shift'],
])

type Row = [text: string, shown: string, line: string, more?: Pick<Case, 'links' | 'mentions' | 'normal'>]

/** A text that is shown as it is typed, in one paragraph. */
const typed = (text: string, more?: Row[3]): Row => [
  text,
  `<p>${text.replaceAll('<', '&lt;').replaceAll('\n', '<br>')}</p>`,
  text.replaceAll(/\s+/g, ' ').trim(),
  more,
]

const subjects: Record<string, Row[]> = {
  Marks: [
    ['**bold**', '<p><strong>bold</strong></p>', 'bold'],
    ['*italic*', '<p><em>italic</em></p>', 'italic'],
    ['_italic_', '<p><em>italic</em></p>', 'italic', { normal: '*italic*' }],
    ['***both***', '<p><em><strong>both</strong></em></p>', 'both'],
    ['~~struck~~', '<p><del>struck</del></p>', 'struck'],
    ['||hidden||', '<p><spoiler>hidden</spoiler></p>', '…'],
    [
      'It was ||the *second* key||.',
      '<p>It was <spoiler>the <em>second</em> key</spoiler>.</p>',
      'It was ….',
    ],
    [
      '**bold *and italic***',
      '<p><strong>bold <em>and italic</em></strong></p>',
      'bold and italic',
      { normal: '**bold _and italic_**' },
    ],
    [
      '*italic **and bold***',
      '<p><em>italic <strong>and bold</strong></em></p>',
      'italic and bold',
      { normal: '_italic **and bold**_' },
    ],
    ['**one\ntwo**', '<p><strong>one<br>two</strong></p>', 'one two'],
    [
      '"*quoted*", (**bracketed**)',
      '<p>"<em>quoted</em>", (<strong>bracketed</strong>)</p>',
      '"quoted", (bracketed)',
    ],
    ['**Note:** bring keys', '<p><strong>Note:</strong> bring keys</p>', 'Note: bring keys'],
  ],
  'Signs that are text': [
    typed('2*3*4 = 24'),
    typed('2 * 3 * 4'),
    typed('2*(3+4)*5'),
    typed('(a)*(b)*(c)'),
    typed('snake_case_name'),
    typed('__init__'),
    typed('10:00~12:00, 13:00~15:00'),
    typed('a||b||c'),
    typed('a || b || c'),
    typed('**'),
    typed('****bold****'),
    typed('** bold **'),
    typed('**bold'),
    typed('un**real**ly'),
    typed('*.txt and *.md'),
    typed('src/**/*.ts, lib/**/*.ts'),
    typed('/* comment */ /*comment*/'),
    typed('f(*args, **kwargs)'),
    typed('>_< and >:('),
    typed('#general, # 5'),
    typed('+1'),
    typed('-5 degrees'),
    typed('~~~ maybe ~~~'),
    typed('<b>bold</b> &amp; <!doctype html>'),
    typed('[Plan] and [x](y)'),
    typed('`not closed'),
  ],
  'Other scripts': [
    ['**「重要」**です', '<p><strong>「重要」</strong>です</p>', '「重要」です'],
    ['これは**重要**です。', '<p>これは<strong>重要</strong>です。</p>', 'これは重要です。'],
    ['**중요**합니다', '<p><strong>중요</strong>합니다</p>', '중요합니다'],
    ['นี่คือ**สำคัญ**มาก', '<p>นี่คือ<strong>สำคัญ</strong>มาก</p>', 'นี่คือสำคัญมาก'],
    ['זה **חשוב**, מאוד', '<p>זה <strong>חשוב</strong>, מאוד</p>', 'זה חשוב, מאוד'],
    ['هذا *مهم* جدا', '<p>هذا <em>مهم</em> جدا</p>', 'هذا مهم جدا'],
    ['да**нет**да', '<p>да**нет**да</p>', 'да**нет**да'],
    ['❤️**love**', '<p>❤️<strong>love</strong></p>', '❤️love'],
  ],
  Backslashes: [
    [
      String.raw`\*not italic\*`,
      '<p>*not italic*</p>',
      '*not italic*',
      { normal: String.raw`\*not italic*` },
    ],
    [String.raw`\**not bold**`, '<p>**not bold**</p>', '**not bold**'],
    [String.raw`*a\* b*`, '<p><em>a* b</em></p>', 'a* b'],
    [String.raw`\||a||`, '<p>||a||</p>', '||a||'],
    [String.raw`\~~a~~`, '<p>~~a~~</p>', '~~a~~'],
    [String.raw`\$a$`, '<p>$a$</p>', '$a$'],
    ['\\`a` b', '<p>`a` b</p>', '`a` b'],
    [String.raw`\:tada:`, '<p>:tada:</p>', ':tada:'],
    [String.raw`\\*a*`, String.raw`<p>\<em>a</em></p>`, String.raw`\a`],
    typed(String.raw`C:\*.txt`),
    typed(String.raw`copy C:\temp\* D:\ `.trim()),
    typed(String.raw`\\server\share`),
    typed(String.raw`¯\_(ツ)_/¯`),
    typed(String.raw`a \* b, \o/, \n`),
    typed(String.raw`snake\_case`),
    [String.raw`\# no heading`, '<p># no heading</p>', '# no heading', { normal: '# no heading' }],
    ['\\# no\n\ntext', '<p># no</p><p>text</p>', '# no text'],
    ['\\- no item', '<p>- no item</p>', '- no item'],
    ['1\\. no item', '<p>1. no item</p>', '1. no item'],
    ['\\> no quote', '<p>> no quote</p>', '> no quote'],
  ],
  Code: [
    ['`code` here', '<p><code>code</code> here</p>', 'code here'],
    ['``a ` b``', '<p><code>a ` b</code></p>', 'a ` b'],
    ['`**a** :tada: \\*`', String.raw`<p><code>**a** :tada: \*</code></p>`, String.raw`**a** :tada: \*`],
    ['it`s\nlet`s', '<p>it`s<br>let`s</p>', 'it`s let`s'],
    ['```js\nlet a\n  b\n```', '<pre=js>let a\n  b</pre>', 'let a b'],
    ['~~~\na\n~~~', '<pre>a</pre>', 'a', { normal: '```\na\n```' }],
    ['````\n```\na\n```\n````', '<pre>```\na\n```</pre>', '``` a ```'],
    ['```\na\n\nb', '<pre>a\n\nb</pre>', 'a b', { normal: '```\na\n\nb\n```' }],
    [
      '```let a\nlet b```\nafter',
      '<pre>let a\nlet b</pre><p>after</p>',
      'let a let b after',
      { normal: '```\nlet a\nlet b\n```\n\nafter' },
    ],
    ['```js{1,3} title="a"\na\n```', '<pre=js>a</pre>', 'a'],
    ['See:\n```\na\n```', '<p>See:</p><pre>a</pre>', 'See: a', { normal: 'See:\n\n```\na\n```' }],
    ['    indented', '<p>indented</p>', 'indented', { normal: 'indented' }],
    typed('```'),
  ],
  Lists: [
    ['- Milk\n- Bread', '<ul><li>Milk</li><li>Bread</li></ul>', 'Milk Bread'],
    ['* Milk\n* Bread', '<ul><li>Milk</li><li>Bread</li></ul>', 'Milk Bread'],
    [
      'Buy:\n- Milk\nThanks',
      '<p>Buy:</p><ul><li>Milk</li></ul><p>Thanks</p>',
      'Buy: Milk Thanks',
      { normal: 'Buy:\n\n- Milk\n\nThanks' },
    ],
    ['- a\n  - b\n  - c\n- d', '<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>', 'a b c d'],
    ['- a\n\n  b\n- c', '<ul><li>a<p>b</p></li><li>c</li></ul>', 'a b c'],
    [
      '- [ ] order gloves\n- [x] call',
      '<ul><task>order gloves</task><task=x>call</task></ul>',
      'order gloves call',
    ],
    ['1. one\n2. two', '<ol><li=1>one</li><li=2>two</li></ol>', '1. one 2. two'],
    ['1) one\n2) two', '<ol><li=1>one</li><li=2>two</li></ol>', '1) one 2) two'],
    ['3. three\n4. four', '<ol><li=3>three</li><li=4>four</li></ol>', '3. three 4. four'],
    ['1. a\n1. b', '<ol><li=1>a</li><li=1>b</li></ol>', '1. a 1. b'],
    ['0. a\n1. b', '<ol><li=0>a</li><li=1>b</li></ol>', '0. a 1. b'],
    ['1. a\n   - b\n2. c', '<ol><li=1>a<ul><li>b</li></ul></li><li=2>c</li></ol>', '1. a b 2. c'],
    typed('5. Dezember\n3. Januar'),
    typed('4. Juli passt'),
    typed('1986. A great year'),
    typed('+ five people'),
    typed('-'),
    ['1.Mai\n2.Mai', '<p>1.Mai<br>2.Mai</p>', '1.Mai 2.Mai'],
  ],
  Quotes: [
    [
      '> Who has the key?\n\nIt is here.',
      '<quote><p>Who has the key?</p></quote><p>It is here.</p>',
      'Who has the key? It is here.',
    ],
    ['> a\nb', '<quote><p>a</p></quote><p>b</p>', 'a b', { normal: '> a\n\nb' }],
    ['>> a\n> b', '<quote><quote><p>a</p></quote><p>b</p></quote>', 'a b', { normal: '> > a\n>\n> b' }],
    ['> - a\n>\n> b', '<quote><ul><li>a</li></ul><p>b</p></quote>', 'a b'],
    typed('>50 people'),
  ],
  'Headings, lines, tables': [
    ['# Plan\n\nfor all', '<p><strong>Plan</strong></p><p>for all</p>', 'Plan for all'],
    [
      '# Plan\nfor all',
      '<p><strong>Plan</strong></p><p>for all</p>',
      'Plan for all',
      { normal: '# Plan\n\nfor all' },
    ],
    [
      'Hello\n## Agenda\n- a',
      '<p>Hello</p><p><strong>Agenda</strong></p><ul><li>a</li></ul>',
      'Hello Agenda a',
      { normal: 'Hello\n\n## Agenda\n\n- a' },
    ],
    typed('# Plan'),
    typed('# of attendees: 5\n# of rooms: 2\nBye'),
    typed('npm ci\n# then\nnpm test'),
    ['a\n\n---\n\nb', '<p>a</p><hr><p>b</p>', 'a b'],
    typed('Grüße\n--\nAnna'),
    typed('Regards\n---\nAnn'),
    typed('Total\n==='),
    [
      '| Room | Free | Note |\n|:-|-:|:-:|\n| 12 | yes | **new** |',
      '<table><tr><th=start>Room</th><th=end>Free</th><th=center>Note</th></tr><tr><td=start>12</td><td=end>yes</td><td=center><strong>new</strong></td></tr></table>',
      'Room Free Note 12 yes new',
    ],
    [
      'a|b\n-|-\n1|2|3\n4\nend',
      '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2|3</td></tr></table><p>4<br>end</p>',
      'a b 1 2|3 4 end',
      { normal: '| a | b |\n|-|-|\n| 1 | 2\\|3 |\n\n4\nend' },
    ],
    [
      '| `a\\|b` | x\\|y |\n|-|-|',
      '<table><tr><th><code>a|b</code></th><th>x|y</th></tr></table>',
      'a|b x|y',
    ],
    typed('a | b\nc | d'),
  ],
  Formulas: [
    [
      'The dose is $d = \\frac{m}{V}$.',
      '<p>The dose is <math>d = \\frac{m}{V}</math>.</p>',
      'The dose is d = \\frac{m}{V}.',
    ],
    ['$$\na + b\n$$', '<math>\na + b\n</math>', 'a + b'],
    ['so $$a$$ it is', '<p>so <math>a</math> it is</p>', 'so a it is'],
    typed('It costs $5, or $6.'),
    typed('$HOME/$USER and US$5'),
  ],
  Links: [
    [
      '[the plan](https://a.example/plan)',
      '<p><a=https://a.example/plan>the plan</a></p>',
      'the plan',
      { links: ['https://a.example/plan'] },
    ],
    [
      '[**b** c](https://a.example/x_(y))',
      '<p><a=https://a.example/x_(y)><strong>b</strong> c</a></p>',
      'b c',
      { links: ['https://a.example/x_(y)'] },
    ],
    ['![map](https://a.example/map.png)', '<p><a=https://a.example/map.png>map</a></p>', 'map'],
    [
      '<https://a.example/x>',
      '<p><a=https://a.example/x>https://a.example/x</a></p>',
      'https://a.example/x',
      { links: ['https://a.example/x'] },
    ],
    [
      'see https://a.example/x.',
      '<p>see <a=https://a.example/x>https://a.example/x</a>.</p>',
      'see https://a.example/x.',
      { links: ['https://a.example/x'] },
    ],
    [
      '(https://a.example/x_(y))',
      '<p>(<a=https://a.example/x_(y)>https://a.example/x_(y)</a>)</p>',
      '(https://a.example/x_(y))',
      { links: ['https://a.example/x_(y)'] },
    ],
    [
      'https://a.example/x（日本語）を見て',
      '<p><a=https://a.example/x>https://a.example/x</a>（日本語）を見て</p>',
      'https://a.example/x（日本語）を見て',
      { links: ['https://a.example/x'] },
    ],
    [
      'https://a.example/x。次',
      '<p><a=https://a.example/x>https://a.example/x</a>。次</p>',
      'https://a.example/x。次',
      { links: ['https://a.example/x'] },
    ],
    [
      'https://a.exampleを見て',
      '<p><a=https://a.example/>https://a.example</a>を見て</p>',
      'https://a.exampleを見て',
      { links: ['https://a.example/'] },
    ],
    [
      '**https://a.example/**',
      '<p><strong><a=https://a.example/>https://a.example/</a></strong></p>',
      'https://a.example/',
      { links: ['https://a.example/'] },
    ],
    [
      'www.a.example, ann@a.example!',
      '<p><a=http://www.a.example/>www.a.example</a>, <a=mailto:ann@a.example>ann@a.example</a>!</p>',
      'www.a.example, ann@a.example!',
      { links: ['http://www.a.example/', 'mailto:ann@a.example'] },
    ],
    [
      '[Plan]: https://a.example/x',
      '<p>[Plan]: <a=https://a.example/x>https://a.example/x</a></p>',
      '[Plan]: https://a.example/x',
      { links: ['https://a.example/x'] },
    ],
    ['||https://a.example/||', '<p><spoiler><a=https://a.example/>https://a.example/</a></spoiler></p>', '…'],
    ['`https://a.example/`', '<p><code>https://a.example/</code></p>', 'https://a.example/'],
    [String.raw`https\://a.example/`, '<p>https://a.example/</p>', 'https://a.example/'],
    [
      String.raw`\[a](https://a.example/)`,
      '<p>[a](<a=https://a.example/>https://a.example/</a>)</p>',
      '[a](https://a.example/)',
      { links: ['https://a.example/'] },
    ],
    [
      '[](https://a.example/)',
      '<p>[](<a=https://a.example/>https://a.example/</a>)</p>',
      '[](https://a.example/)',
      { links: ['https://a.example/'] },
    ],
    [
      '[a\\](https://a.example/)',
      '<p>[a](<a=https://a.example/>https://a.example/</a>)</p>',
      '[a](https://a.example/)',
      { links: ['https://a.example/'], normal: '\\[a](https://a.example/)' },
    ],
    typed('[x](javascript:alert(1)) ftp://a.example'),
  ],
  Mentions: [
    [`<@${ANN}>, look`, `<p><@${ANN}>, look</p>`, '@Ann, look', { mentions: [ANN] }],
    [
      `<@&${NIGHT}> <#${ROTA}>`,
      `<p><@&${NIGHT}> <@#${ROTA}></p>`,
      '@night shift #rota',
      { mentions: [`&${NIGHT}`, `#${ROTA}`] },
    ],
    ['<!channel> <!here>', '<p><@channel> <@here></p>', '@channel @here', { mentions: ['channel', 'here'] }],
    [`**<@${ANN}>**`, `<p><strong><@${ANN}></strong></p>`, '@Ann', { mentions: [ANN] }],
    [`\`<@${ANN}>\``, `<p><code><@${ANN}></code></p>`, '@Ann', { mentions: [ANN] }],
    [`\`\`\`\n<@${ANN}>\n\`\`\``, `<pre><@${ANN}></pre>`, '@Ann', { mentions: [ANN] }],
    [`$<@${ANN}>$`, `<p>$<@${ANN}>$</p>`, '$@Ann$', { mentions: [ANN] }],
    [
      `[a](https://a.example/<@${ANN}>)`,
      `<p>[a](<a=https://a.example/>https://a.example/</a><@${ANN}>)</p>`,
      '[a](https://a.example/@Ann)',
      { links: ['https://a.example/'], mentions: [ANN] },
    ],
    [`||<@${ANN}>||`, `<p><spoiler><@${ANN}></spoiler></p>`, '…', { mentions: [ANN] }],
    [`\\<@${ANN}>`, `<p>&lt;@${ANN}></p>`, `<@${ANN}>`],
    [`\`\\<@${ANN}>\``, `<p><code>&lt;@${ANN}></code></p>`, `<@${ANN}>`],
    ['```\n\\<!channel>\n```', '<pre>&lt;!channel></pre>', '<!channel>'],
    ['$\\<!here>$', '<p><math>&lt;!here></math></p>', '<!here>'],
    [`\\\\<@${ANN}>`, `<p>\\<@${ANN}></p>`, '\\@Ann', { mentions: [ANN] }],
    ['<!everyone> <@ann>', '<p>&lt;!everyone> &lt;@ann></p>', '<!everyone> <@ann>'],
    ['/me *waves*', '<p><@me> <em>waves</em></p>', 'waves'],
    typed('/me'),
  ],
  Emoji: [
    ['Done :tada:', '<p>Done <:tada:></p>', 'Done 🎉'],
    [':tada::+1:', '<p><:tada:><:+1:></p>', '🎉:+1:'],
    ['`:tada:`', '<p><code>:tada:</code></p>', ':tada:'],
    typed('10:30:45, std::map::end, a:tada:b'),
  ],
}

/** What messages mean: `docs/formatting.md` explains it to people. Every reader is tested with all cases. */
export const cases: Case[] = Object.entries(subjects).flatMap(([subject, rows]) =>
  rows.map(([text, shown, line, more]) => ({ subject, text, shown, line, ...more })),
)
