interface Props {
  name: string
  link: string
}

export const Welcome = ({ name, link }: Props) => (
  <html lang="en">
    <body>
      <h1>Welcome, {name}</h1>
      <>
        <a href={link}>Confirm</a>
      </>
    </body>
  </html>
)
