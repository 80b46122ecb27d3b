import { useState } from 'react'
import { fileKindOf } from '../../../../wire/fileKinds.ts'
import { AudioLine } from '../playing/AudioLine.tsx'
import { FilmBox } from '../playing/FilmBox.tsx'
import { PlainLine, type FileProps } from './PlainLine.tsx'
import { TextLine } from './TextLine.tsx'

/** A file of a message that is no picture with a place of its own. */
export function FileLine(props: FileProps) {
  const kind = fileKindOf(props.file.type)
  const [tries, setTries] = useState(0)
  const again = () => setTries(tries + 1)
  if (kind === 'video') return <FilmBox key={tries} {...props} onAgain={again} />
  if (kind === 'audio') return <AudioLine key={tries} {...props} onAgain={again} />
  if (kind === 'text') return <TextLine {...props} />
  return <PlainLine {...props} opens={kind !== 'other'} />
}
