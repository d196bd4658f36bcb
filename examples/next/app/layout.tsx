import type { ReactNode } from "react";

export const metadata = { title: "Duka" };

const STYLE =
  "body { font: 1.1em system-ui; max-width: 22em; margin: 2em auto } label, button { display: block; margin: 1em 0 }";

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <style>{STYLE}</style>
        <h1>Duka</h1>
        {children}
      </body>
    </html>
  );
}
