import type { ReactNode } from "react";

export const metadata = { title: "Duka" };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <h1>Duka</h1>
        {children}
      </body>
    </html>
  );
}
