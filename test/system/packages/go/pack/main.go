// Command pack puts a module into a folder that works as a GOPROXY: pack <module folder> <path> <version> <proxy>.
package main

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
)

func main() {
	source, path, version, proxy := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	target := filepath.Join(proxy, path, "@v")
	check(os.MkdirAll(target, 0o755))
	module, err := os.ReadFile(filepath.Join(source, "go.mod"))
	check(err)
	check(os.WriteFile(filepath.Join(target, "list"), []byte(version+"\n"), 0o644))
	check(os.WriteFile(filepath.Join(target, version+".mod"), module, 0o644))
	info := fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version)
	check(os.WriteFile(filepath.Join(target, version+".info"), []byte(info), 0o644))

	archive, err := os.Create(filepath.Join(target, version+".zip"))
	check(err)
	writer := zip.NewWriter(archive)
	files := os.DirFS(source)
	check(fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		check(err)
		file, err := writer.Create(path + "@" + version + "/" + name)
		check(err)
		_, err = file.Write(content)
		return err
	}))
	check(writer.Close())
	check(archive.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
