/** A PDF whose pages have these lines of Latin-1 text. Without a table of its objects: readers look for them. */
export function createPdf(pages: string[][]): Buffer {
  const objects = pages.flatMap((lines, n) => {
    const shown = lines.map((line) => `(${line.replaceAll(/[()\\]/g, '\\$&')}) Tj T*`).join('\n')
    const content = `BT /F 12 Tf 14 TL 50 780 Td ${shown} ET`
    return [
      `${4 + n * 2} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents ${5 + n * 2} 0 R>>endobj`,
      `${5 + n * 2} 0 obj<</Length ${content.length}>>stream\n${content}\nendstream endobj`,
    ]
  })
  const kids = pages.map((_, n) => `${4 + n * 2} 0 R`).join(' ')
  return Buffer.from(
    [
      '%PDF-1.4',
      '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
      `2 0 obj<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>endobj`,
      '3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>endobj',
      ...objects,
      'trailer<</Root 1 0 R>>',
      '%%EOF',
    ].join('\n'),
    'latin1',
  )
}
